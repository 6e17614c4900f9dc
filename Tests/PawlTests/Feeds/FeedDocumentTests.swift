import FoundationEssentials
import Pawl
import PawlCore
import Testing

/// Feeds of all formats, and hostile ones.
@Suite(.timeLimit(.minutes(5)))
struct FeedDocumentTests {
    private func read(_ text: String, at url: String = "https://host.example/a/feed.xml") throws
        -> FeedDocument
    {
        try FeedDocument(Array(text.utf8), from: #require(URL(string: url)))
    }

    private func rss(_ content: String, _ more: String = "") -> String {
        """
        <?xml version="1.0"?>
        <rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/"
          xmlns:atom="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/elements/1.1/"
          xmlns:sy="http://purl.org/rss/1.0/modules/syndication/"
          xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" \(more)>
        <channel>\(content)</channel></rss>
        """
    }

    @Test func `a podcast`() throws {
        let feed = try read(
            rss(
                """
                <title>News &amp;amp; Views</title><ttl>90</ttl>
                <image><title>Logo</title><url>logo.png</url></image>
                <item>
                  <title>Caf&amp;eacute; &amp;#8211;\n <![CDATA[Part <2>]]></title>
                  <itunes:title>Another title</itunes:title>
                  <guid isPermaLink="false"> id-2 </guid>
                  <link>/pages/2</link>
                  <pubDate>Sun, 29 Nov 2026 17:05:02 +0100</pubDate>
                  <enclosure url="https://media.example/2.mp3" length="7" type="audio/mpeg"/>
                  <enclosure url="https://media.example/2.ogg"/>
                </item>
                <item><title/><enclosure url=" 1 \u{e9}.mp3?x=1&amp;y=2 "/></item>
                """
            )
        )
        #expect(feed.title == "News & Views")
        #expect(feed.updateInterval == .seconds(5400))
        #expect(feed.items.count == 2)
        let first = try #require(feed.items.first)
        #expect(first.title == "Café – Part <2>")
        #expect(first.id == "id-2")
        #expect(first.enclosure == "https://media.example/2.mp3")
        #expect(first.mediaType == "audio/mpeg")
        #expect(first.link == "https://host.example/pages/2")
        #expect(first.published == 1_795_968_302)
        let second = try #require(feed.items.last)
        #expect(second.id == nil)
        #expect(second.title.isEmpty)
        #expect(second.enclosure == "https://host.example/a/1%20%C3%A9.mp3?x=1&y=2")
    }

    @Test func `contents of media are taken if there is no enclosure`() throws {
        let feed = try read(
            rss(
                """
                <item><media:group><media:content url="small.mp4"/>
                  <media:content url="big.mp4" type="video/mp4" isDefault="true"/></media:group></item>
                <item><media:content url="a.mp4"/><enclosure url="b.mp4"/></item>
                <item><media:content url="c.mp4"/><media:content url="d.mp4"/></item>
                <item><source><enclosure url="not.mp4"/></source></item>
                <item><atom:link rel="enclosure" href="e.mp4"/></item>
                """
            )
        )
        let names = feed.items.map { $0.enclosure?.split(separator: "/").last.map(String.init) }
        #expect(names == ["big.mp4", "b.mp4", "c.mp4", nil, "e.mp4"])
        #expect(feed.items.map(\.mediaType) == ["video/mp4", nil, nil, nil, nil])
    }

    @Test func `an Atom feed, with bases`() throws {
        let feed = try read(
            """
            <feed xmlns="http://www.w3.org/2005/Atom" xml:base="/files/">
              <title>A &amp;amp; B</title>
              <entry xml:base="2026/">
                <title type="html">A &amp;amp; B</title><id>urn:x:1</id>
                <updated>2026-11-29T16:05:02.5Z</updated>
                <link href="page"/><link rel="enclosure" href="1.mp3"/>
                <source><id>urn:other</id><title>Other</title></source>
              </entry>
              <entry><id>urn:x:2</id><published>2026-11-28T00:00:00+01:00</published>
                <updated>2026-11-29T00:00:00Z</updated>
                <link rel="alternate" href="http://other.example/p"/></entry>
            </feed>
            """
        )
        #expect(feed.title == "A &amp; B")
        let first = try #require(feed.items.first)
        #expect(first.title == "A & B")
        #expect(first.id == "urn:x:1")
        #expect(first.enclosure == "https://host.example/files/2026/1.mp3")
        #expect(first.link == "https://host.example/files/2026/page")
        #expect(first.published == 1_795_968_302)
        #expect(feed.items.last?.enclosure == nil)
        #expect(feed.items.last?.link == "http://other.example/p")
        #expect(feed.items.last?.published == 1_795_820_400)
    }

    @Test func `RSS 1.0, with the period of its updates`() throws {
        let feed = try read(
            """
            <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
              xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/"
              xmlns:sy="http://purl.org/rss/1.0/modules/syndication/">
              <channel rdf:about="x"><title>T</title>
                <sy:updatePeriod>daily</sy:updatePeriod><sy:updateFrequency>4</sy:updateFrequency>
              </channel>
              <item rdf:about="a"><title>One</title><link>http://host.example/1</link>
                <dc:date>2026-11-29</dc:date></item>
            </rdf:RDF>
            """
        )
        #expect(feed.title == "T")
        #expect(feed.updateInterval == .seconds(21_600))
        #expect(feed.items.map(\.link) == ["http://host.example/1"])
        #expect(feed.items.first?.published == 1_795_910_400)
    }

    @Test(arguments: [
        ("Sun, 29 Nov 2026 16:05:02 GMT", 1_795_968_302 as Int64?),
        ("29 Nov 26 16:05 UT", 1_795_968_300), ("Mo, 29 November 2026 11:05:02 EST", 1_795_968_302),
        ("2026-11-29T17:05:02+01:00", 1_795_968_302), ("2026-11-29 16:05:02", 1_795_968_302),
        ("Thu, 01 Jan 1970 00:00:00 +0000", 0), ("yesterday", nil), ("", nil),
        ("Sun, 31 Feb 2026 16:05:02 GMT", nil), ("99999999999999999999", nil),
        ("2026-13-01", nil), ("29 Nov 2026 25:00:00 GMT", nil),
    ])
    func `dates of feeds`(text: String, seconds: Int64?) {
        #expect(FeedDate.seconds(text) == seconds, "\(text)")
    }

    /// The bytes of a feed whose title has these bytes.
    private func feed(_ encoding: String, title: [UInt8]) -> [UInt8] {
        Array("<?xml version='1.0' encoding='\(encoding)'?>\n<rss><channel><title>".utf8) + title
            + Array("</title></channel></rss>".utf8)
    }

    @Test(arguments: [
        ("windows-1252", [0x80, 0xE9] as [UInt8], "€é"),
        ("GB18030", [0xD6, 0xD0, 0xCE, 0xC4], "中文"),
        ("gb2312", [0xD6, 0xD0], "中"), ("Shift_JIS", [0x83, 0x65, 0x83, 0x58, 0x83, 0x67], "テスト"),
        ("windows-1251", [0xCF, 0xF0, 0xE8], "При"), ("EUC-KR", [0xC7, 0xD1], "한"),
        ("ISO-8859-1", [0xE9], "é"), ("UTF-8", [0xC3, 0xA9], "é"),
    ])
    func `feeds in other encodings than UTF-8`(
        encoding: String,
        bytes: [UInt8],
        title: String
    ) throws {
        let url = try #require(URL(string: "https://host.example/feed"))
        let document = try FeedDocument(feed(encoding, title: bytes), from: url)
        #expect(document.title == title)
    }

    @Test(arguments: [
        ("unheard-of", [0x41] as [UInt8], "unknown encoding"), ("Shift_JIS", [0x83], "shift_jis"),
        ("GB18030", [0xFF], "gb18030"),
    ])
    func `a feed that is not valid in its encoding is refused`(
        encoding: String,
        bytes: [UInt8],
        reason: String
    ) throws {
        let url = try #require(URL(string: "https://host.example/feed"))
        let error = #expect(throws: DownloadError.self) {
            try FeedDocument(feed(encoding, title: bytes), from: url)
        }
        #expect(error?.code == .badResponse)
        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    }

    @Test func `hostile documents are refused`() throws {
        let bomb = """
            <?xml version="1.0"?><!DOCTYPE rss [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>
            <rss><channel><item><title>&b;</title></item></channel></rss>
            """
        let deep = rss(String(repeating: "<a>", count: 300))
        let many = rss(String(repeating: "<item/>", count: 10_001))
        let cases = [
            bomb, deep, many, "", "<html><body/></html>", "<rss><channel>", "no XML",
            rss("<item><title>&nowhere;</title></item>"),
            "<rss a=\"\(String(repeating: "x", count: 400 << 10))\"/>",
        ]
        for text in cases {
            let error = #expect(throws: DownloadError.self, "\(text.prefix(80))") {
                _ = try read(text)
            }
            #expect(error?.code == .badResponse)
            #expect(error?.advice.isEmpty == false)
        }
    }

    @Test func `URLs that are not valid are left out`() throws {
        let feed = try read(
            rss(
                """
                <item><enclosure url="   "/></item><item><enclosure/></item>
                """
            )
        )
        #expect(feed.items.map(\.enclosure) == [nil, nil])
    }

    @Test func `a long base does not make a short document large`() throws {
        let long = String(repeating: "b/", count: 20 << 10)
        let feed = try read(
            rss(
                """
                <item xml:base="/\(long)"><enclosure url="1.mp3"/></item>
                <item><enclosure url="/\(long)2.mp3"/><link>\(long)</link></item>
                <item><enclosure url="3.mp3"/></item>
                """
            )
        )
        let names = feed.items.map { $0.enclosure?.split(separator: "/").last.map(String.init) }
        #expect(names == ["1.mp3", nil, "3.mp3"])
        #expect(feed.items.allSatisfy { ($0.enclosure?.utf8.count ?? 0) < 100 && $0.link == nil })
        // A base that a download would accept, thousands of times.
        let base = String(repeating: "b/", count: 15 << 10)
        let items = String(repeating: "<item><enclosure url=\"a\"/></item>", count: 5000)
        let error = #expect(throws: DownloadError.self) {
            _ = try read(rss(items, "xml:base=\"/\(base)\""))
        }
        #expect(error?.message.contains("together") == true)
    }

    @Test func `a title is short, even if its characters are long`() throws {
        let title = "a" + String(repeating: "\u{301}", count: 100_000)
        let feed = try read(rss("<title>\(title)</title><item><title>\(title)</title></item>"))
        #expect(feed.title.unicodeScalars.count == 300)
        #expect(feed.items.first?.title.unicodeScalars.count == 300)
    }

    @Test func `references that are not known stay as they are`() {
        #expect(
            CharacterReferences.replaced(in: "a &b; &; & &#0; &#xD800; &#x41;")
                == "a &b; &; & &#0; &#xD800; A"
        )
        #expect(CharacterReferences.replaced(in: "&amp;amp; &yuml;&nbsp;") == "&amp; ÿ\u{a0}")
    }
}
