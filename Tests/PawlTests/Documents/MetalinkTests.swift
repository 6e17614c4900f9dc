import Pawl
import PawlCore
import Testing

/// Metalink documents of both versions, and hostile ones.
@Suite(.timeLimit(.minutes(5)))
struct MetalinkTests {
    private func read(_ text: String) throws -> Metalink {
        try Metalink(Array(text.utf8), name: "list.meta4", failure: .usage)
    }

    private func version4(_ content: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <metalink xmlns="urn:ietf:params:xml:ns:metalink">\(content)</metalink>
        """
    }

    private static let sha256 = String(repeating: "ab", count: 32)
    private static let sha1 = String(repeating: "cd", count: 20)

    @Test func `version 4`() throws {
        let metalink = try read(
            version4(
                """
                <generator>x</generator><published>2026-01-01T00:00:00Z</published>
                <file name="folder/disk.iso">
                  <identity>Disk</identity><size> 2050 </size>
                  <hash type="md5">\(String(repeating: "0", count: 32))</hash>
                  <hash type="sha-256">\(Self.sha256)</hash>
                  <hash type="sha-1">\(Self.sha1)</hash>
                  <hash type="unknown">00</hash>
                  <pieces length="1024" type="sha-1">
                    <hash>\(Self.sha1)</hash><hash>\(Self.sha1)</hash><hash>\(Self.sha1)</hash>
                  </pieces>
                  <signature mediatype="application/pgp-signature">-----BEGIN-----
                abc</signature>
                  <url location="DE" priority="2">https://b.example/disk.iso</url>
                  <url location="us" priority="1">http://a.example/disk.iso?x=1&amp;y=2</url>
                  <url>ftp://c.example/disk.iso</url>
                  <url priority="1">rsync://d.example/disk.iso</url>
                  <url priority="1">file:///etc/passwd</url>
                  <url priority="1">sftp://e.example/disk.iso</url>
                  <metaurl mediatype="torrent" priority="1">http://f.example/x.torrent</metaurl>
                </file>
                """
            )
        )
        let file = try #require(metalink.files.first)
        #expect(metalink.files.count == 1)
        #expect(file.name == "folder/disk.iso")
        #expect(file.size == 2050)
        #expect(file.digest == ContentDigest(.sha256, hexadecimal: Self.sha256))
        #expect(file.pieces?.count == 3 && file.pieces?.length == 1024)
        #expect(file.pieces?.algorithm == .sha1)
        #expect(file.signatures.map(\.text) == ["-----BEGIN-----\nabc"])
        #expect(
            file.sources(preferring: []).map(\.url) == [
                "http://a.example/disk.iso?x=1&y=2", "https://b.example/disk.iso",
                "ftp://c.example/disk.iso",
            ]
        )
        #expect(file.sources(preferring: ["fr", "de"])[0].url == "https://b.example/disk.iso")
    }

    @Test func `version 3`() throws {
        let metalink = try read(
            """
            <metalink version="3.0" xmlns="http://www.metalinker.org/" type="dynamic">
              <files>
                <file name="a.iso"><size>5</size>
                  <publisher><name>x</name><url>http://p.example/</url></publisher>
                  <x:size xmlns:x="urn:x">7</x:size>
                  <verification>
                    <hash type="sha256">\(Self.sha256)</hash>
                    <pieces type="sha1" length="1024"><hash piece="0">\(Self.sha1)</hash></pieces>
                    <signature type="pgp" file="a.iso.asc">sig</signature>
                  </verification>
                  <resources>
                    <url type="http" location="fr" preference="90">http://a.example/a.iso</url>
                    <url type="http" preference="100">http://b.example/a.iso</url>
                    <url type="bittorrent">http://c.example/a.torrent</url>
                  </resources>
                </file>
                <file name="b.iso"><resources><url>http://a.example/b.iso</url></resources></file>
              </files>
            </metalink>
            """
        )
        #expect(metalink.files.map(\.name) == ["a.iso", "b.iso"])
        let file = metalink.files[0]
        #expect(file.size == 5)
        #expect(
            file.sources(preferring: []).map(\.url) == [
                "http://b.example/a.iso", "http://a.example/a.iso",
            ]
        )
        #expect(file.digest?.algorithm == .sha256 && file.pieces?.count == 1)
        #expect(file.signatures.map(\.mediaType) == ["application/pgp-signature"])
        // A torrent is not the file.
        #expect(!file.sources.contains { $0.url.hasSuffix("torrent") })
    }

    @Test(arguments: [
        "/etc/passwd", "../x", "a/../../x", ".bashrc", "a/.ssh/x", "", "a/", "C:\\\\x", "-rf",
        "a&#9;b",
    ])
    func `a name that leads elsewhere is refused`(name: String) {
        let text = version4("<file name=\"\(name)\"><url>http://a.example/f</url></file>")
        let error = #expect(throws: DownloadError.self) { try read(text) }
        #expect(error?.code == .usage)
    }

    @Test(arguments: ["", "<url>magnet:?x</url>"])
    func `a file may have no URL that can be used`(source: String) throws {
        let text = version4("<file name=\"a\"><size>5</size>\(source)</file>")
        let file = try #require(try read(text).files.first)
        #expect(file.sources.isEmpty)
        #expect(file.size == 5)
    }

    @Test(arguments: [
        "<metalink/>", "<html xmlns='http://www.w3.org/1999/xhtml'></html>", "<", "",
        "<metalink xmlns='urn:ietf:params:xml:ns:metalink'></metalink>",
        "<metalink xmlns='urn:ietf:params:xml:ns:metalink'><file name='a'><url>http://a/b</url>",
    ])
    func `what is not a usable Metalink is refused`(text: String) {
        let error = #expect(throws: DownloadError.self) { try read(text) }
        #expect(error?.code == .usage)
    }

    @Test func `entities that unfold are refused at once`() {
        let entities = (1...30).map { "<!ENTITY e\($0) \"&e\($0 - 1);&e\($0 - 1);\">" }.joined()
        let text =
            "<!DOCTYPE metalink [<!ENTITY e0 \"ha\">\(entities)]>"
            + version4("<file name=\"a\"><url>&e30;</url></file>")
        let error = #expect(throws: DownloadError.self) { try read(text) }
        #expect(error?.message.contains("document type") == true, "\(error?.message ?? "")")
    }

    @Test func `numbers and digests that are not valid are left out`() throws {
        let metalink = try read(
            version4(
                """
                <file name="a"><size>-5</size><hash type="sha-256">xyz</hash>
                <pieces length="0" type="sha-1"><hash>\(Self.sha1)</hash></pieces>
                <pieces length="9999999999999999999999" type="sha-1"><hash>\(Self.sha1)</hash></pieces>
                <pieces length="1024" type="sha-1"><hash>\(Self.sha1)</hash><hash>00</hash></pieces>
                <url priority="-3">http://a.example/a</url>
                <url priority="99999999999999999999">http://b.example/a</url></file>
                """
            )
        )
        let file = metalink.files[0]
        #expect(file.size == nil && file.digest == nil && file.pieces == nil)
        #expect(file.sources.map(\.priority) == [1, Metalink.lowestPriority])
    }
}
