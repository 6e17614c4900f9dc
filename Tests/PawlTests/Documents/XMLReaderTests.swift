import Pawl
import PawlCore
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct XMLReaderTests {
    private func events(
        _ document: some Collection<UInt8>,
        pieces size: Int = .max,
        limits: XMLReader.Limits = XMLReader.Limits()
    ) throws(DownloadError) -> [XMLEvent] {
        let reader = XMLReader("list.xml", failure: .usage, limits: limits)
        var events: [XMLEvent] = []
        var rest = document[...]
        while !rest.isEmpty {
            let piece = rest.prefix(size)
            rest = rest.dropFirst(piece.count)
            try reader.read(piece) { events.append($0) }
        }
        try reader.finish { events.append($0) }
        return events
    }

    private func failure(
        _ document: some Collection<UInt8>,
        limits: XMLReader.Limits = XMLReader.Limits()
    ) -> DownloadError? {
        do {
            _ = try events(document, limits: limits)
            return nil
        } catch {
            return error
        }
    }

    private static let sample = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!-- a comment --><?program data?>
        <list xmlns="urn:a" xmlns:b="urn:b" b:hidden="1">
        <b:url priority="1" place="d&amp;e">x &lt;<![CDATA[<y> &amp;]]> é&#x1F680;</b:url><empty/></list>

        """
    private static let parts: [XMLEvent] = [
        .start(XMLElement(XMLName("list", namespace: "urn:a"))),
        .start(
            XMLElement(
                XMLName("url", namespace: "urn:b"),
                attributes: ["priority": "1", "place": "d&e"]
            )
        ),
        .end(XMLName("url", namespace: "urn:b"), text: "x <<y> &amp; é\u{1F680}"),
        .start(XMLElement(XMLName("empty", namespace: "urn:a"))),
        .end(XMLName("empty", namespace: "urn:a"), text: ""),
        .end(XMLName("list", namespace: "urn:a"), text: "\n"),
    ]

    @Test(arguments: [1, 2, 7, .max])
    func `elements, attributes and text are read from pieces of any size`(size: Int) throws {
        #expect(try events(Self.sample.utf8, pieces: size) == Self.parts)
    }

    @Test func `the text between the elements within an element is joined`() throws {
        let events = try events("<a>1<b>2</b>3</a>".utf8)
        #expect(events.last == .end(XMLName("a"), text: "13"))
    }

    @Test func `other encodings that libexpat knows are read`() throws {
        let latin: [UInt8] =
            Array(#"<?xml version="1.0" encoding="ISO-8859-1"?><a>"#.utf8) + [0xE9]
            + Array("</a>".utf8)
        #expect(try events(latin).last == .end(XMLName("a"), text: "é"))
        let wide = [0xFEFF as UInt16] + Array("<a>é</a>".utf16)
        let bytes = wide.flatMap {
            [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)]
        }
        #expect(try events(bytes).last == .end(XMLName("a"), text: "é"))
    }

    @Test(arguments: [
        #"<!DOCTYPE a><a/>"#,
        #"<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>"#,
        #"<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>"#,
        #"<!DOCTYPE a [<!ENTITY % b SYSTEM "http://x/y.dtd"> %b;]><a/>"#,
        #"<!DOCTYPE a [<!ENTITY b "bbbbbbbbbb"><!ENTITY c "&b;&b;&b;&b;&b;">]><a>&c;</a>"#,
    ])
    func `a document type declaration is refused`(document: String) throws {
        let error = try #require(failure(document.utf8))
        #expect(error.code == .usage)
        #expect(
            error.message
                == "list.xml cannot be read as XML: line 1: it has a document type declaration"
        )
    }

    @Test func `entities that unfold a billion times are refused`() throws {
        var document = #"<!DOCTYPE a [<!ENTITY e0 "ha">"#
        for level in 1...30 {
            let last = String(repeating: "&e\(level - 1);", count: 10)
            document += #"<!ENTITY e\#(level) "\#(last)">"#
        }
        document += "]><a>&e30;</a>"
        #expect(try #require(failure(document.utf8)).message.contains("document type"))
    }

    @Test func `every document that is cut off is refused`() throws {
        let document = Array(Self.sample.utf8)
        let end = document.count - 1
        for count in 0..<end {
            #expect(failure(document.prefix(count)) != nil, "\(count) bytes")
        }
        #expect(failure(document.prefix(end)) == nil)
    }

    @Test(arguments: [
        "<a>\u{FF}</a>", "<a>\u{0}</a>",
        #"<?xml version="1.0" encoding="UTF-7"?><a/>"#,
        #"<?xml version="1.0" encoding="UTF-16"?><a/>"#,
        "<a>&nope;</a>", "<a>&#xD800;</a>", "<a></b>", "<a/><b/>", "<a b='1' b='2'/>", "text",
        "<b:a/>", "<a b=1/>", "<a>]]></a>",
    ])
    func `a document that is not well-formed is refused`(document: String) {
        // One byte per character, so that some documents are not UTF-8.
        let bytes = document.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        #expect(failure(bytes)?.code == .usage)
    }

    @Test func `the error names the line`() throws {
        let error = try #require(failure("<a>\n\n</b>".utf8))
        #expect(error.message == "list.xml cannot be read as XML: line 3: mismatched tag")
    }

    @Test func `endless nesting is refused`() throws {
        var limits = XMLReader.Limits()
        limits.depth = 3
        #expect(failure("<a><a><a></a></a></a>".utf8, limits: limits) == nil)
        let message =
            "list.xml cannot be read as XML: line 1: elements are nested more than 3 levels deep"
        #expect(failure("<a><a><a><a></a></a></a></a>".utf8, limits: limits)?.message == message)
        let bomb = String(repeating: "<a>", count: 1_000_000)
        #expect(failure(bomb.utf8)?.message.contains("more than 64 levels") == true)
    }

    @Test func `the length of text is limited per element`() {
        var limits = XMLReader.Limits()
        limits.textBytes = 100
        let text = String(repeating: "é", count: 50)
        #expect(failure("<a><b>\(text)</b><b>\(text)</b></a>".utf8, limits: limits) == nil)
        #expect(
            failure("<a>\(text)<b/>!</a>".utf8, limits: limits)?.message.contains("text") == true
        )
    }

    @Test(arguments: ["<a b='", "<", "<!--", "<a><![CDATA[", "<?a "])
    func `a part that does not end is refused before it fills the memory`(start: String) throws {
        // Stops as soon as the reader does: without a limit, this would never end.
        let endless = Array(start.utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: 4 << 20)
        let error = try #require(failure(endless))
        #expect(error.message.contains("longer than") || error.message.contains("text"))
    }

    @Test func `namespaces end with the element that declares them`() throws {
        let events = try events(
            """
            <a xmlns="urn:1" xmlns:p="urn:p"><p:b xmlns:p="urn:q" xmlns=""><p:c/><d/></p:b><p:e/></a>
            """.utf8
        )
        let names = events.compactMap { event -> XMLName? in
            if case .start(let element) = event { return element.name }
            return nil
        }
        #expect(
            names == [
                XMLName("a", namespace: "urn:1"), XMLName("b", namespace: "urn:q"),
                XMLName("c", namespace: "urn:q"), XMLName("d"), XMLName("e", namespace: "urn:p"),
            ]
        )
        for document in [
            "<a b:c=''/>", "<a:b:c xmlns:a='urn:a'/>", "<a xmlns:b=''/>",
            "<a><b xmlns:c='u'/><c:d/></a>",
            "<a xmlns:xml='urn:a'/>", "<a xmlns:xmlns='urn:a'/>", "<:a/>",
        ] {
            #expect(failure(document.utf8)?.code == .usage, "\(document)")
        }
    }

    @Test func `a long namespace is refused before it is copied`() throws {
        let uri = String(repeating: "u", count: 1 << 10)
        let elements = String(repeating: "<p:b/>", count: 1000)
        #expect(failure("<a xmlns:p='\(uri)'>\(elements)</a>".utf8) == nil)
        let long = try #require(failure("<a xmlns:p='\(uri)u'/>".utf8))
        #expect(long.message.contains("longer than 1024 bytes"))
        // libexpat would copy the namespace for each of these attributes: 1 GB.
        let huge = String(repeating: "u", count: 120 << 10)
        let attributes = (0..<9000).map { "p:a\($0)='' " }.joined()
        let error = failure("<a xmlns:p='\(huge)' \(attributes)/>".utf8)
        #expect(error?.message.contains("longer than 1024 bytes") == true)
    }

    @Test func `many small parts are not one long part`() {
        let document = "<a>" + String(repeating: "<b c='d'/> ", count: 200_000) + "</a>"
        #expect(failure(document.utf8) == nil)
    }

    @Test func `an error of the handler ends the reading`() throws {
        let reader = XMLReader("list.xml", failure: .usage)
        var count = 0
        #expect(throws: DownloadError.self) {
            try reader.read("<a><b/><c/></a>".utf8) { _ throws(DownloadError) in
                count += 1
                if count == 2 { throw DownloadError(.tooLarge, "enough") }
            }
        }
        #expect(count == 2)
    }

    @Test func `random damage never ends the program`() throws {
        let sample = Array(Self.sample.utf8)
        var random = TestSeed.generator("XMLReaderTests")
        for _ in 0..<3_000 {
            var bytes = sample
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(
                    in: 0...255,
                    using: &random
                )
            }
            _ = failure(bytes)
        }
    }
}
