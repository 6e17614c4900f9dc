/// A user's own name for a download: any text.
///
/// Two keys are the same where their bytes in UTF-8 are: an é of one scalar and one of two make two
/// keys, although Swift calls the texts equal. So a key means the same in every version of Unicode.
public struct StorageKey: Hashable, Sendable {
    /// The key as it was given.
    public let text: String

    /// Makes a key of any text, also of none.
    public init(_ text: String) { self.text = text }

    /// Whether the bytes are the same.
    public static func == (left: StorageKey, right: StorageKey) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
        hasher.combine(UInt8(0xFF))
    }
}

extension StorageKey: ExpressibleByStringLiteral {
    /// Makes a key of a literal.
    public init(stringLiteral text: String) { self.init(text) }
}

/// The key's form in names of files: no two keys have the same one, on any file system.
///
/// Lower-case letters, digits, `_`, and `-` within, stay as they are; each other byte of the key's UTF-8
/// is `%` and two lower-case hexadecimal digits: capital letters too, as there are file systems that
/// know no difference, and dots, so that what is put behind the form is not taken for a part of it. The
/// empty key is `%`. A form longer than `longestPlain` bytes is cut to
/// `longestHead`, and `%%` and the SHA-256 of the key follow: `%%` is in no other form.
extension StorageKey {
    package static let longestPlain = 200
    package static let longestHead = 120

    /// The form where it needs no digest.
    package var plainForm: String? {
        let form = escapedForm
        return form.utf8.count <= Self.longestPlain ? form : nil
    }

    /// The form of a key that is too long, with its SHA-256 in hexadecimal.
    package func shortenedForm(digest: String) -> String {
        var head = escapedForm.utf8.prefix(Self.longestHead)
        // Never in the middle of an escape.
        if let percent = head.suffix(2).lastIndex(of: UInt8(ascii: "%")) { head = head[..<percent] }
        return "\(Substring(head))%%\(digest)"
    }

    /// Reads a plain form, nil for what is none: also for a shortened one, whose key only a record
    /// can tell.
    package init?(plainForm: String) {
        guard plainForm != "%" else {
            self.init("")
            return
        }
        let parts = plainForm.utf8
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
        // Only what was written like this is read back.
        guard self.plainForm == plainForm else { return nil }
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
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
