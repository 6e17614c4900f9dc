internal import PawlCore

/// A line of the list of a folder, as servers of FTP and SFTP send it.
///
/// FTP defines no form (RFC 959 §4.1.3). In fact, all servers send that of `ls -l`, or that of the
/// `dir` of Windows.
package struct FileListLine: Hashable, Sendable {
    package enum Kind: Sendable {
        case file, folder
        /// A symbolic link, a device or the like.
        case other
    }

    package let kind: Kind
    package let name: [UInt8]
    package let facts: ListedFacts?

    /// Returns `nil` if the line describes no file.
    package init?(_ line: some Sequence<UInt8>) {
        let line = Array(line)
        guard let first = line.first else { return nil }
        if first.isDigit {
            guard let read = Self.windows(line) else { return nil }
            self = read
        } else {
            guard let read = Self.unix(line, first) else { return nil }
            self = read
        }
        guard !name.isEmpty, name != Array(".".utf8), name != Array("..".utf8),
            !name.contains(UInt8(ascii: "/")), !name.contains(0)
        else { return nil }
    }

    /// Whether a line describes no file: it is empty, gives the total of the sizes, or is of the folder
    /// itself or the one above.
    static func isUnimportant(_ line: some Sequence<UInt8>) -> Bool {
        let words = words(of: Array(line))
        guard let first = words.first, let last = words.last else { return true }
        return first.text == "total" && words.count == 2
            || [".", ".."].contains(last.text) && (first.text.hasPrefix("d") || words.count == 4)
    }

    private init(_ kind: Kind, _ name: some Sequence<UInt8>, _ facts: ListedFacts?) {
        (self.kind, self.name, self.facts) = (kind, Array(name), facts)
    }

    /// Reads `-rw-r--r--  1 user group  1234 Nov 28 10:00 name`, in which the group may be missing.
    private static func unix(_ line: [UInt8], _ first: UInt8) -> FileListLine? {
        let kinds: [UInt8: Kind] = [
            UInt8(ascii: "-"): .file, UInt8(ascii: "d"): .folder, UInt8(ascii: "l"): .other,
            UInt8(ascii: "b"): .other, UInt8(ascii: "c"): .other, UInt8(ascii: "p"): .other,
            UInt8(ascii: "s"): .other,
        ]
        let words = words(of: line)
        guard let kind = kinds[first], words.count >= 7, words[0].text.utf8.count >= 10 else {
            return nil
        }
        // The month follows the size, and has three letters.
        for index in 3...5 where index + 3 < words.count {
            guard let size = Int64(words[index].text), size >= 0,
                MonthName.number(words[index + 1].text) != nil,
                let day = Int(words[index + 2].text), 1...31 ~= day
            else { continue }
            let time = words[(index + 1)...(index + 3)].map(\.text).joined(separator: " ")
            // A name may begin with spaces.
            var name = line[words[index + 3].end...].dropFirst()
            if first == UInt8(ascii: "l"), let arrow = name.firstRange(of: Array(" -> ".utf8)) {
                name = name[..<arrow.lowerBound]
            }
            return FileListLine(kind, name, ListedFacts(size: size, time: time))
        }
        // A link is left out, whatever its line contains.
        return kind == .other ? FileListLine(kind, line, nil) : nil
    }

    /// Reads `11-28-26  10:00AM   <DIR>   name`, with the size in place of `<DIR>` for a file.
    private static func windows(_ line: [UInt8]) -> FileListLine? {
        let words = words(of: line)
        guard words.count >= 4, words[0].text.contains("-"), words[1].text.contains(":") else {
            return nil
        }
        let name = line[words[2].end...].drop { $0 == UInt8(ascii: " ") }
        if words[2].text == "<DIR>" { return FileListLine(.folder, name, nil) }
        guard let size = Int64(words[2].text), size >= 0 else {
            return FileListLine(.other, name, nil)
        }
        let time = words[0].text + " " + words[1].text
        return FileListLine(.file, name, ListedFacts(size: size, time: time))
    }

    private static func words(of line: [UInt8]) -> [(text: String, end: Int)] {
        line.split(separator: UInt8(ascii: " "), maxSplits: 12).prefix(12).map { word in
            (String(decoding: word, as: UTF8.self), word.endIndex)
        }
    }
}
