import PawlCore
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct PropertyListTests {
    /// Python's `plistlib.dumps` of the value below, in its binary form.
    private static let recorded = """
        YnBsaXN0MDDcAQIDBAUGBwgJCgsMDQ4PEBUWFxgZGhscVGRhdGFUZGF0ZVVsYXJnZVRsaXN0VGxvbmdYbmVnYXRp\
        dmVVcGxhY2VUcmVhbFVzbWFsbFR0ZXh0VHdpZGVTeWVzQwECAzMAAAAAAAAAABMAAAEAAAAAAKIREhAB0RMUUWFR\
        Yl8RASx4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4\
        eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4\
        eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4\
        eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4\
        eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHgT//////////2DAAERcCM/+AAAAAAAABAH\
        U2FiY2Vl5WcsACDYPd6ACQAIACEAJgArADEANgA7AEQASgBPAFUAWgBfAGMAZwBwAHkAfAB+AIEAgwCFAbUBvgHD\
        AcwBzgHSAd0AAAAAAAACAQAAAAAAAAAdAAAAAAAAAAAAAAAAAAAB3g==
        """

    private func isRefused(_ bytes: [UInt8]) -> Bool { (try? PropertyList(bytes)) == nil }

    @Test func `every kind of value is read from the binary form`() throws {
        let bytes = try #require([UInt8](base64: Self.recorded))
        let list = try PropertyList(bytes)
        #expect(list["small"] == .integer(7))
        #expect(list["negative"] == .integer(-3))
        #expect(list["large"] == .integer(1 << 40))
        #expect(list["real"] == .real(1.5))
        #expect(list["yes"] == .boolean(true))
        #expect(list["text"] == .text("abc"))
        #expect(list["wide"] == .text("日本 \u{1F680}"))
        #expect(list["long"] == .text(String(repeating: "x", count: 300)))
        #expect(list["data"] == .data([1, 2, 3]))
        #expect(list["date"] == .date(0))
        #expect(list["place"] == .reference(70_000))
        #expect(list["list"] == .array([.integer(1), .dictionary(["a": .text("b")])]))
    }

    @Test func `every kind of value is read from XML`() throws {
        let list = try PropertyList(
            Array(
                """
                <?xml version="1.0" encoding="UTF-8"?>
                <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://x/y.dtd">
                <plist version="1.0"><dict>
                <key>small</key><integer>7</integer><key>real</key><real>1.5</real>
                <key>yes</key><true/><key>text</key><string>a &amp; &#x62;&#99;</string>
                <key>data</key><data>AQID</data><key>date</key><date>2001-01-01T00:00:00Z</date>
                <key>place</key><dict><key>CF$UID</key><integer>5</integer></dict>
                <key>list</key><array><string>x</string></array>
                </dict></plist>
                """.utf8
            )
        )
        #expect(list["small"] == .integer(7))
        #expect(list["real"] == .real(1.5))
        #expect(list["yes"] == .boolean(true))
        #expect(list["text"] == .text("a & bc"))
        #expect(list["data"] == .data([1, 2, 3]))
        #expect(list["date"] == .date(0))
        #expect(list["place"] == .reference(5))
        #expect(list["list"] == .array([.text("x")]))
    }

    @Test func `endless nesting is refused`() {
        for depth in [100, 100_000] {
            let open = String(repeating: "<array>", count: depth)
            #expect(isRefused(Array(("<plist>" + open).utf8)))
            let close = String(repeating: "</array>", count: depth)
            #expect(isRefused(Array(("<plist>" + open + close + "</plist>").utf8)))
        }
    }

    @Test(arguments: [
        "", "<plist>", "<plist/>", "<plist></plist>", "<plist><dict></array></plist>",
        "<plist><dict><key>a</key></dict></plist>", "<plist><string>a</plist>",
        "<plist><dict><string>a</string></dict></plist>", "<plist><integer>x</integer></plist>",
        "<plist><integer>99999999999999999999</integer></plist>", "<plist><date>x</date></plist>",
        "<plist><data>!</data></plist>", "<plist><string>&nope;</string></plist>",
        "<plist><string>&#xD800;</string></plist>", "<plist><string>a & b</string></plist>",
        "<plist><string><![CDATA[a]]></string></plist>", "<plist><true/></plist>x",
        "<plist><string a='b'>x</string></plist>", "<!DOCTYPE plist", "<!-- ", "plist", "</plist>",
    ])
    func `XML that is not a property list is refused`(text: String) {
        #expect(isRefused(Array(text.utf8)))
    }

    @Test func `comments and whitespace between values are skipped`() throws {
        let text =
            "\u{FEFF}<?xml version='1.0'?>\n<!-- a <dict> -->\n<plist version='1.0'>"
            + "<array><!-- b --><false></false><string/><dict/><array/></array>\n</plist>\n"
        let values: [PropertyList] = [.boolean(false), .text(""), .dictionary([:]), .array([])]
        #expect(try PropertyList(Array(text.utf8)) == .array(values))
    }

    @Test func `an array that contains itself is refused`() {
        #expect(isRefused(binary(objects: [[0xA1, 0]])))
    }

    /// Each array contains the next one fifteen times: 15^20 values in a few hundred bytes.
    @Test func `a few bytes that expand beyond any memory are refused`() {
        let objects =
            (UInt8(0)..<20).map { [0xAE] + [UInt8](repeating: $0 + 1, count: 14) } + [[0x09]]
        #expect(isRefused(binary(objects: objects)))
    }

    @Test func `lengths beyond the end are refused`() {
        #expect(isRefused(binary(objects: [[0x5F, 0x13] + [UInt8](repeating: 0xFF, count: 8)])))
        #expect(
            isRefused(binary(objects: [[0x4F, 0x13, 0x7F] + [UInt8](repeating: 0xFF, count: 7)]))
        )
        #expect(isRefused(binary(objects: [[0xDF, 0x13, 0x40, 0, 0, 0, 0, 0, 0, 0]])))
        #expect(isRefused(binary(objects: [[0x6F, 0x13, 0x40, 0, 0, 0, 0, 0, 0, 0]])))
        #expect(!isRefused(binary(objects: [[0x51, 0x41]])))
    }

    @Test func `random trailers never crash`() {
        var random = TestSeed.generator("trailers")
        for _ in 0..<20_000 {
            var bytes = binary(objects: [[0xA2, 1, 2], [0x51, 0x41], [0x81, 0, 7]])
            for _ in 0..<3 {
                let offset = Int.random(in: 8..<bytes.count, using: &random)
                bytes[offset] = UInt8.random(in: 0...255, using: &random)
            }
            _ = try? PropertyList(bytes)
        }
    }

    /// Objects, a table of their offsets, and the trailer.
    ///
    /// The first object is the root.
    private func binary(objects: [[UInt8]]) -> [UInt8] {
        var bytes = Array("bplist00".utf8)
        var offsets: [UInt8] = []
        for object in objects {
            offsets += [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)]
            bytes += object
        }
        let table = bytes.count
        bytes += offsets + [0, 0, 0, 0, 0, 0, 2, 1]
        for number in [objects.count, 0, table] {
            bytes += [0, 0, 0, 0, 0, 0, UInt8(number >> 8), UInt8(number & 0xFF)]
        }
        return bytes
    }
}
