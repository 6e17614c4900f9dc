internal import FoundationEssentials
internal import Glibc

/// An encoding of text other than Unicode that the C library converts (iconv(3)).
///
/// The labels and their meaning are those of the Encoding Standard, which browsers follow: the name
/// of a small set means the larger one that servers in fact send, such as Windows-949 for `EUC-KR`.
struct SystemCharset: Sendable {
    /// The name for iconv.
    let name: String

    /// Creates the encoding of a label in a `charset` parameter; `nil` if the label is not known.
    init?(label: String) {
        guard let name = Charsets.byLabel[label.lowercased()] else { return nil }
        self.name = name
    }

    /// Creates the encoding for a constant of Foundation; `nil` if it is not in the table.
    init?(_ encoding: String.Encoding) {
        guard let name = Charsets.byEncoding[encoding.rawValue] else { return nil }
        self.name = name
    }

    /// The result of decoding.
    enum Outcome {
        case text(String)
        /// The bytes are not valid in this encoding.
        case invalid
        /// The C library of this system does not have the encoding.
        case missing
    }

    func decode(_ bytes: [UInt8]) -> Outcome {
        let converter = iconv_open("UTF-8", name)
        guard converter != iconv_t(bitPattern: -1) else { return .missing }
        defer { iconv_close(converter) }
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count + bytes.count / 2)
        var source = bytes
        let isValid = source.withUnsafeMutableBytes { source in
            var start = source.baseAddress?.assumingMemoryBound(to: CChar.self)
            var left = source.count
            return Self.convert(&text) { iconv(converter, &start, &left, $0, $1) }
                // Some encodings keep the last character back, because another may change it.
                && Self.convert(&text) { iconv(converter, nil, nil, $0, $1) }
        }
        guard isValid, let text = String(validating: text, as: UTF8.self) else { return .invalid }
        return .text(text)
    }

    private typealias Step = (
        UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, UnsafeMutablePointer<Int>
    ) -> Int

    /// Calls `step` until all is converted, and adds its output to the text.
    private static func convert(_ text: inout [UInt8], _ step: Step) -> Bool {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16 << 10) { buffer in
            while true {
                var end = buffer.baseAddress
                var room = buffer.count
                let result = step(&end, &room)
                let error = errno
                let output = UnsafeRawBufferPointer(buffer).prefix(buffer.count - room)
                text.append(contentsOf: output)
                if result != -1 { return true }
                guard error == E2BIG else { return false }
            }
        }
    }
}

/// The table of encodings: iconv's name, the labels of the Encoding Standard (§4.2), and the values
/// of Foundation's constants.
private enum Charsets {
    static let byLabel = table { row in row.labels.split(separator: " ").map(String.init) }

    static let byEncoding = table { $0.encodings }

    private static func table<Key: Hashable>(_ keys: (Row) -> [Key]) -> [Key: String] {
        var names: [Key: String] = [:]
        for row in rows {
            for key in keys(row) { names[key] = row.name }
        }
        return names
    }

    private struct Row {
        let name: String
        let labels: String
        let encodings: [UInt]

        init(_ name: String, _ labels: String, _ encodings: UInt...) {
            (self.name, self.labels) = (name, labels)
            // The constants of Core Foundation, without which the value is one of Foundation.
            self.encodings = encodings.map { $0 < 0x100 ? $0 : 0x8000_0000 | $0 }
        }
    }

    private static let rows = chinese + japanese + korean + cyrillic + latin + others

    private static let chinese = [
        Row(
            "GB18030",
            """
            gb18030 gbk chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 iso-ir-58 x-gbk
            """,
            0x632,
            0x631,
            0x630,
            0x930,
            0x421
        ),
        Row("BIG5-HKSCS", "big5 big5-hkscs cn-big5 csbig5 x-x-big5", 0xA03, 0xA06),
        Row("CP950", "", 0x423),
    ]

    private static let japanese = [
        Row(
            "CP932",
            "shift_jis shift-jis sjis x-sjis csshiftjis ms932 ms_kanji windows-31j",
            8,
            0xA01,
            0x420
        ),
        Row("EUC-JP-MS", "euc-jp x-euc-jp cseucpkdfmtjapanese", 3, 0x920),
        Row("ISO-2022-JP", "iso-2022-jp csiso2022jp", 21, 0x820),
    ]

    private static let korean = [
        Row(
            "CP949",
            """
            euc-kr korean windows-949 cseuckr csksc56011987 iso-ir-149 ks_c_5601-1987 \
            ks_c_5601-1989 ksc5601 ksc_5601
            """,
            0x940,
            0x422
        )
    ]

    private static let cyrillic = [
        Row("CP1251", "windows-1251 cp1251 x-cp1251", 11),
        Row("KOI8-R", "koi8-r koi8 koi koi8_r cskoi8r", 0xA02),
        Row("KOI8-U", "koi8-u koi8-ru", 0xA08),
        Row("CP866", "ibm866 866 cp866 csibm866", 0x419),
        Row(
            "ISO-8859-5",
            """
            iso-8859-5 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988 iso-ir-144 cyrillic \
            csisolatincyrillic
            """,
            0x205
        ),
        Row("MAC-CYRILLIC", "x-mac-cyrillic x-mac-ukrainian"),
    ]

    private static let latin = [
        Row(
            "ISO-8859-2",
            """
            iso-8859-2 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 iso-ir-101 l2 latin2 \
            csisolatin2
            """,
            9
        ),
        Row(
            "ISO-8859-3",
            """
            iso-8859-3 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 iso-ir-109 l3 latin3 \
            csisolatin3
            """,
            0x203
        ),
        Row(
            "ISO-8859-4",
            """
            iso-8859-4 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 iso-ir-110 l4 latin4 \
            csisolatin4
            """,
            0x204
        ),
        Row(
            "ISO-8859-10",
            "iso-8859-10 iso8859-10 iso885910 iso-ir-157 l6 latin6 csisolatin6",
            0x20A
        ),
        Row("ISO-8859-13", "iso-8859-13 iso8859-13 iso885913", 0x20D),
        Row("ISO-8859-14", "iso-8859-14 iso8859-14 iso885914", 0x20E),
        Row(
            "ISO-8859-15",
            "iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9 csisolatin9",
            0x20F
        ),
        Row("ISO-8859-16", "iso-8859-16", 0x210),
        Row("CP1250", "windows-1250 cp1250 x-cp1250", 15),
        Row(
            "CP1254",
            """
            windows-1254 cp1254 x-cp1254 iso-8859-9 iso8859-9 iso88599 iso_8859-9 \
            iso_8859-9:1989 iso-ir-148 l5 latin5 csisolatin5
            """,
            14
        ),
        Row("CP1257", "windows-1257 cp1257 x-cp1257", 0x507),
        Row("CP1258", "windows-1258 cp1258 x-cp1258", 0x508),
        Row("MACINTOSH", "macintosh mac x-mac-roman csmacintosh", 30),
    ]

    private static let others = [
        Row("CP1253", "windows-1253 cp1253 x-cp1253", 13),
        Row(
            "ISO-8859-7",
            """
            iso-8859-7 iso8859-7 iso88597 iso_8859-7 iso_8859-7:1987 iso-ir-126 greek greek8 \
            ecma-118 elot_928 sun_eu_greek csisolatingreek
            """,
            0x207
        ),
        Row("CP1255", "windows-1255 cp1255 x-cp1255", 0x505),
        Row(
            "ISO-8859-8",
            """
            iso-8859-8 iso-8859-8-e iso-8859-8-i iso8859-8 iso88598 iso_8859-8 \
            iso_8859-8:1988 iso-ir-138 hebrew visual logical csiso88598e csiso88598i \
            csisolatinhebrew
            """,
            0x208
        ),
        Row("CP1256", "windows-1256 cp1256 x-cp1256", 0x506),
        Row(
            "ISO-8859-6",
            """
            iso-8859-6 iso-8859-6-e iso-8859-6-i iso8859-6 iso88596 iso_8859-6 \
            iso_8859-6:1987 iso-ir-127 arabic asmo-708 ecma-114 csiso88596e csiso88596i \
            csisolatinarabic
            """,
            0x206
        ),
        Row(
            "CP874",
            "windows-874 dos-874 tis-620 iso-8859-11 iso8859-11 iso885911",
            0x20B,
            0x41D
        ),
    ]
}
