/// A user's own name for a download, which can be any text.
///
/// Two keys are equal if their bytes in UTF-8 are equal. An é that is one scalar and an é that is
/// two scalars are different keys, although Swift treats the texts as equal. So a key has the same
/// meaning in every version of Unicode.
public struct StorageKey: Hashable, Sendable {
    /// The key as it was given.
    public let text: String

    /// Creates a key from any text, including an empty one.
    public init(_ text: String) { self.text = text }

    /// Whether the bytes are equal.
    public static func == (left: StorageKey, right: StorageKey) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
        hasher.combine(UInt8(0xFF))
    }
}

extension StorageKey: ExpressibleByStringInterpolation {
    /// Creates a key from a literal, which may contain interpolated values.
    public init(stringLiteral text: String) { self.init(text) }
}

extension StorageKey: CustomStringConvertible {
    /// The key as it was given.
    public var description: String { text }
}

extension StorageKey: Codable {
    /// Decodes a key from its text.
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }

    /// Encodes the key as its text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

/// The key's encoded form in the names of Pawl's own files, which never changes.
///
/// Files that users see have the readable form, see `ReadableKeyName`.
///
/// No two keys have the same form on any file system.
///
/// Lower-case letters, digits, `_`, and `-` except at the ends, stay as they are. Each other byte
/// of the key's UTF-8 becomes `%` and two lower-case hexadecimal digits. This includes capital
/// letters, because some file systems ignore case, and dots, so that a suffix is not taken for a
/// part of the form. The empty key is `%`. A form longer than `longestPlain` bytes is cut to
/// `longestHead`, followed by `%%` and the SHA-256 of the key; `%%` is in no other form.
extension StorageKey {
    package static let longestPlain = 200
    package static let longestHead = 120

    /// The form if it needs no digest.
    package var plainForm: String? {
        let form = escapedForm
        return form.utf8.count <= Self.longestPlain ? form : nil
    }

    /// Returns the form of a key that is too long, with its SHA-256 in hexadecimal.
    package func shortenedForm(digest: String) -> String {
        var head = escapedForm.utf8.prefix(Self.longestHead)
        // The form is never cut in the middle of an escape.
        if let percent = head.suffix(2).lastIndex(of: UInt8(ascii: "%")) { head = head[..<percent] }
        return "\(Substring(head))%%\(digest)"
    }

    /// Decodes a plain form; `nil` if it is not one.
    ///
    /// A shortened form cannot be decoded: only a record contains its key.
    package init?(plainForm: String) {
        self.init(percentEncoded: plainForm)
        // Only the exact output of the encoding is accepted.
        guard self.plainForm == plainForm else { return nil }
    }

    /// Decodes `%` with two hexadecimal digits, wherever it stands; `nil` if that is not possible.
    init?(percentEncoded form: String) {
        guard form != "%" else {
            self.init("")
            return
        }
        let parts = form.utf8
        var bytes: [UInt8] = []
        var index = parts.startIndex
        while index < parts.endIndex {
            guard parts[index] == UInt8(ascii: "%") else {
                bytes.append(parts[index])
                parts.formIndex(after: &index)
                continue
            }
            let digits = parts[index...].dropFirst().prefix(2)
            guard digits.count == 2, let byte = UInt8(String(Substring(digits)), radix: 16) else {
                return nil
            }
            bytes.append(byte)
            index = digits.endIndex
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        self.init(text)
    }

    private var escapedForm: String {
        guard !text.isEmpty else { return "%" }
        let digits = Array("0123456789abcdef".utf8)
        var form: [UInt8] = []
        for byte in text.utf8 {
            if Self.isPlain(byte) || byte == UInt8(ascii: "-") && !form.isEmpty {
                form.append(byte)
            } else {
                form += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: form, as: UTF8.self)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || byte.isDigit
            || byte == UInt8(ascii: "_")
    }
}
