package import PawlCore
internal import PawlStorage

/// What a mirror knows about a file that it has fetched.
package struct MirrorRecord: Hashable, Sendable {
    /// A digest of the file's URL, which may contain secrets.
    package var source: String
    /// The size in bytes and the modification time in nanoseconds of the local file, which show
    /// whether somebody has changed it.
    package var size: Int64
    package var modified: Int64
    /// The validators of the server's version (RFC 9110 §8.8).
    package var entityTag: String?
    package var lastModified: String?
    /// The description of the file in the list; `nil` if that does not prove that the file is unchanged.
    package var facts: String?

    package init(source: String, size: Int64, modified: Int64) {
        (self.source, self.size, self.modified) = (source, size, modified)
    }

    /// The digest of a URL.
    package static func source(_ address: String) -> String { SHA256.shortText(of: address) }

    package func isOf(_ stamp: FileStamp) -> Bool {
        size == stamp.size && modified == stamp.modified
    }
}

extension MirrorRecord {
    private static let absent = "-"

    /// The fields of a line, without the path.
    var line: [String] {
        [
            source, "\(size)", "\(modified)", Self.text(entityTag), Self.text(lastModified),
            Self.text(facts),
        ]
    }

    init?(line fields: [Substring]) {
        guard fields.count == 6, let size = Int64(fields[1]), let modified = Int64(fields[2]) else {
            return nil
        }
        self.init(source: String(fields[0]), size: size, modified: modified)
        entityTag = Self.value(fields[3])
        lastModified = Self.value(fields[4])
        facts = Self.value(fields[5])
    }

    private static func text(_ value: String?) -> String {
        value.map { "=" + LineText.escaped($0) } ?? absent
    }

    private static func value(_ text: Substring) -> String? {
        text.first == "=" ? LineText.unescaped(text.dropFirst()) : nil
    }
}

/// Text in the fields of a line that are separated by tabs.
enum LineText {
    static func escaped(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "%") })
        else { return text }
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            let isSpecial = byte < 0x20 || byte == 0x7F || byte == UInt8(ascii: "%")
            if isSpecial { bytes += [byte].percentEncoded().utf8 } else { bytes.append(byte) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    static func unescaped(_ text: Substring) -> String { text.percentDecoded }
}
