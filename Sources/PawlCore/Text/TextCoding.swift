/// The encodings of text that servers use.
package enum TextCoding: Hashable, Sendable, CaseIterable {
    case utf8, utf16BigEndian, utf16LittleEndian
    case latin1, ascii, windows1252

    /// Creates an encoding from the label in a `charset` parameter, as browsers do (Encoding
    /// Standard §4.2): ISO-8859-1 and ASCII mean Windows-1252, and UTF-16 is little-endian.
    package init?(label: String) {
        guard let coding = Self.byLabel[label.trimmed.lowercased()] else { return nil }
        self = coding
    }

    private static let byLabel: [String: TextCoding] = {
        let labels: [TextCoding: [String]] = [
            .utf8: ["utf-8", "utf8", "unicode-1-1-utf-8", "x-unicode20utf8"],
            .utf16LittleEndian: ["utf-16", "utf-16le", "ucs-2", "unicode", "iso-10646-ucs-2"],
            .utf16BigEndian: ["utf-16be", "unicodefffe"],
            .windows1252: [
                "windows-1252", "cp1252", "x-cp1252", "iso-8859-1", "iso8859-1", "iso_8859-1",
                "iso88591", "latin1", "l1", "cp819", "us-ascii", "ascii", "ansi_x3.4-1968",
            ],
        ]
        var table: [String: TextCoding] = [:]
        for (coding, labels) in labels {
            for label in labels { table[label] = coding }
        }
        return table
    }()

    /// Returns the encoding named by a mark at the beginning (BOM), and the length of the mark.
    package static func marked(_ bytes: some Collection<UInt8>) -> (coding: Self, count: Int)? {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3) }
        if bytes.starts(with: [0xFE, 0xFF]) { return (.utf16BigEndian, 2) }
        if bytes.starts(with: [0xFF, 0xFE]) { return (.utf16LittleEndian, 2) }
        return nil
    }

    /// Returns the text without this encoding's mark at its beginning; `nil` if the bytes are not
    /// valid.
    package func decode(_ bytes: [UInt8]) -> String? {
        var bytes = bytes[...]
        if let (coding, count) = Self.marked(bytes), coding == self {
            bytes = bytes.dropFirst(count)
        }
        switch self {
        case .utf8: return String(validating: bytes, as: UTF8.self)
        case .utf16BigEndian: return Self.utf16(bytes) { $0 << 8 | $1 }
        case .utf16LittleEndian: return Self.utf16(bytes) { $1 << 8 | $0 }
        case .ascii:
            return bytes.allSatisfy { $0 < 0x80 } ? String(decoding: bytes, as: UTF8.self) : nil
        case .latin1: return Self.text(bytes) { Unicode.Scalar($0) }
        case .windows1252: return Self.text(bytes) { Self.windows($0) }
        }
    }

    private static func utf16(
        _ bytes: ArraySlice<UInt8>,
        _ join: (UInt16, UInt16) -> UInt16
    ) -> String? {
        guard bytes.count.isMultiple(of: 2) else { return nil }
        let units = stride(from: bytes.startIndex, to: bytes.endIndex, by: 2).map { index in
            join(UInt16(bytes[index]), UInt16(bytes[index + 1]))
        }
        return String(validating: units, as: UTF16.self)
    }

    private static func text(
        _ bytes: ArraySlice<UInt8>,
        _ scalar: (UInt8) -> Unicode.Scalar
    ) -> String {
        var scalars = String.UnicodeScalarView()
        for byte in bytes { scalars.append(scalar(byte)) }
        return String(scalars)
    }

    private static func windows(_ byte: UInt8) -> Unicode.Scalar {
        (0x80...0x9F).contains(byte) ? windowsRow[Int(byte) - 0x80] : Unicode.Scalar(byte)
    }

    /// The characters for 0x80 to 0x9F.
    ///
    /// Five are unassigned and stand for themselves (Encoding Standard, index windows-1252).
    private static let windowsRow: [Unicode.Scalar] = [
        "\u{20AC}", "\u{81}", "\u{201A}", "\u{192}", "\u{201E}", "\u{2026}", "\u{2020}",
        "\u{2021}", "\u{2C6}", "\u{2030}", "\u{160}", "\u{2039}", "\u{152}", "\u{8D}", "\u{17D}",
        "\u{8F}", "\u{90}", "\u{2018}", "\u{2019}", "\u{201C}", "\u{201D}", "\u{2022}",
        "\u{2013}", "\u{2014}", "\u{2DC}", "\u{2122}", "\u{161}", "\u{203A}", "\u{153}", "\u{9D}",
        "\u{17E}", "\u{178}",
    ]
}
