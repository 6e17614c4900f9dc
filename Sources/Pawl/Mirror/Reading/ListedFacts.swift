internal import PawlCore

/// The facts about a file in the list of a folder besides its name: a text that changes when the file
/// does, such as its size and time.
///
/// The text is only compared with that of an earlier list, so its form and its time zone do not
/// matter.
package struct ListedFacts: Hashable, Sendable {
    package let text: String
    /// The time in seconds within which a file may change twice without another text.
    ///
    /// 0 means that every change changes the text.
    package let resolution: Int64

    /// The size in bytes, if the text contains it exactly.
    private let size: Int64?

    private init(text: String, resolution: Int64, size: Int64? = nil) {
        (self.text, self.resolution, self.size) = (text, resolution, size)
    }

    /// Facts that change with every change of the file, such as an entity tag.
    package init(exact text: String) { self.init(text: text, resolution: 0) }

    /// Reads the text beside a link; `nil` if it does not contain a date with a time, and a size.
    ///
    /// Known forms of times are `28-Nov-2026 10:00`, `2026-11-28 10:00:00`, `2026-Nov-28 10:00`
    /// and `2026-11-28T10:00:00Z`.
    package init?(note: String) {
        let hasDash = note.utf8.contains(UInt8(ascii: "-"))
        let words = note.utf8.split { byte in
            byte == UInt8(ascii: " ") || byte == UInt8(ascii: "T") && hasDash
        }
        var (hasDate, hasSize) = (false, false)
        var resolution: Int64?
        var size: Int64?
        for word in words {
            if Self.isDate(word) {
                hasDate = true
            } else if let seconds = Self.clock(word) {
                resolution = min(resolution ?? seconds, seconds)
            } else if Self.isSize(word) {
                hasSize = true
                size = Int64(Substring(word))
            }
        }
        guard hasDate, hasSize, let resolution else { return nil }
        self.init(text: note, resolution: resolution, size: size)
    }

    /// Creates the facts of a line as `ls -l` writes it, whose time is that of a day for older files.
    package init(size: Int64, time: String) {
        let resolution: Int64 = time.contains(":") ? 60 : 86_400
        self.init(text: "\(size) \(time)", resolution: resolution, size: size)
    }

    private typealias Word = Substring.UTF8View

    private static func isDate(_ word: Word) -> Bool {
        let parts = word.split(separator: UInt8(ascii: "-"))
        guard parts.count == 3,
            parts.contains(where: { $0.count == 4 && $0.allSatisfy(\.isDigit) })
        else { return false }
        return parts.allSatisfy { part in
            part.allSatisfy(\.isDigit) || isName(part) && Substring(part).count == 3
        }
    }

    /// The resolution of a time such as `10:00` or `10:00:00Z`.
    private static func clock(_ word: Word) -> Int64? {
        let parts = word.split(separator: UInt8(ascii: ":"))
        guard parts.count == 2 || parts.count == 3, parts[0].count == 2,
            parts.allSatisfy({ $0.prefix(2).count == 2 && $0.prefix(2).allSatisfy(\.isDigit) })
        else { return nil }
        return parts.count == 2 ? 60 : 1
    }

    /// Whether a word is a size such as `1234` or `1.2K`.
    private static func isSize(_ word: Word) -> Bool {
        let number = word.prefix { byte in
            byte.isDigit || byte == UInt8(ascii: ".") || byte == UInt8(ascii: ",")
        }
        let unit = word[number.endIndex...]
        return number.first?.isDigit == true && isName(unit) && Substring(unit).count <= 3
    }

    /// Whether a text contains only letters, of any language.
    private static func isName(_ text: Word) -> Bool {
        text.allSatisfy { $0.isLetter || $0 >= 0x80 }
    }

    /// Whether equal facts in a later list prove that the file has not changed.
    ///
    /// If the file was changed shortly before the list was read, it may have been changed again
    /// within the same minute.
    ///
    /// - Parameters:
    ///   - byteCount: The file's size, which the text must not contradict.
    ///   - modified: The file's modification time in seconds since 1970.
    ///   - now: The time of the same clock when the file was fetched.
    package func isProof(byteCount: Int64, modified: Int64?, now: Int64?) -> Bool {
        guard size == nil || size == byteCount else { return false }
        guard resolution > 0 else { return true }
        guard let modified, let now else { return false }
        return now - modified > resolution + 1
    }
}
