import Pawl
import Testing

@Suite(.timeLimit(.minutes(5)))
struct HTMLLinkReaderTests {
    private func links(_ text: String, pieces: Int = .max) -> [HTMLLink] {
        var reader = HTMLLinkReader()
        var found: [HTMLLink] = []
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            reader.read(Array(rest.prefix(pieces))) { found.append($0) }
            rest = rest.dropFirst(pieces)
        }
        reader.finish { found.append($0) }
        return found
    }

    private func addresses(_ text: String) -> [String] { links(text).map(\.address) }

    @Test(arguments: [1, 2, 7, .max])
    func `the index of nginx, in pieces of any size`(pieces: Int) {
        let page = """
            <html><head><title>Index of /a <a href="not"></title></head><body>
            <h1>Index</h1><hr><pre><a href="../">../</a>
            <a href="b/">b/</a>               28-Nov-2026 10:00                   -
            <a href="c%20d.iso">c d.iso</a>   01-Jan-2024 00:00            12345678
            </pre><hr></body></html>
            """
        #expect(
            links(page, pieces: pieces) == [
                HTMLLink(address: "../", note: ""),
                HTMLLink(address: "b/", note: "28-Nov-2026 10:00 -"),
                HTMLLink(address: "c%20d.iso", note: "01-Jan-2024 00:00 12345678"),
            ]
        )
    }

    @Test func `the table of Apache`() {
        let page = """
            <table><tr><th><a href="?C=N;O=D">Name</a></th></tr>
            <tr><td valign="top"><img src="/i.gif" alt="[ ]"></td><td><a href="x.iso">x.iso</a></td>
            <td align="right">2026-11-28 10:00  </td><td align="right">1.2K</td><td>&nbsp;</td></tr>
            <tr><td><a href="y">y</a></td></tr></table> tail
            """
        #expect(links(page).map(\.address) == ["?C=N;O=D", "x.iso", "y"])
        #expect(links(page)[1].note == "2026-11-28 10:00 1.2K &nbsp;")
        #expect(links(page)[2].note == "")
    }

    @Test func `the times in attributes count`() {
        let page =
            "<a href=\"x\">x</a><td>1.2 KiB</td><time datetime='2026-11-28T10:00:00Z'>old</time>"
        #expect(links(page).first?.note == "1.2 KiB 2026-11-28T10:00:00Z old")
    }

    @Test(arguments: [
        ("<A HREF=one>1</A>", ["one"]),
        ("<a class='x' href = 'two'>", ["two"]),
        ("<a title='a > b' href='three'>", ["three"]),
        ("<a title=it's href=four>", ["four"]),
        ("<a href=five/>", ["five/"]),
        ("<a/href='six'>", ["six"]),
        ("<a name=x><a href>", [""]),
        ("<a =x href=seven>", ["seven"]),
        ("<abbr href=no><a\nhref=\"a&amp;b&#x26;c&#38;d&unknown;&lt\">", ["a&b&c&d&unknown;&lt"]),
        ("<a href='\u{FC}'>", ["%C3%BC"]),
        ("<a href='a' href='b'>", ["a"]),
        ("1 < 2 <a href=x>", ["x"]),
        ("<a href='unfinished", []),
    ])
    func `forms of links`(text: String, expected: [String]) {
        #expect(addresses(text) == expected)
    }

    @Test(arguments: [
        "<!-- <a href=no> -- > --><a href=x>", "<!--><a href=x>", "<!---><a href=x>",
        "<!-- <a href=no> --!><a href=x>", "<!-- ! > <a href=no> -!> --><a href=x>",
        "<!DOCTYPE html><a href=x>",
        "<!doctype html \"a>b\"><a href=x>",
        "<script>'<a href=no>' < 1 </ script></script><a href=x>",
        "<STYLE><a href=no></style ><a href=x>",
        "<textarea><a href=no></textarea><a href=x>",
        "<?xml version='1.0'?><a href=x>",
    ])
    func `what is not a link`(text: String) {
        #expect(addresses(text) == ["x"])
    }

    @Test func `a tag that is too long is passed over, whatever it contains`() {
        let long = String(repeating: "a", count: 100_000)
        #expect(addresses("<a href='\(long)'><a href='x'>") == ["x"])
        #expect(links("<a href=x>\(long)</a>\(long)").first?.note.utf8.count == 200)
    }

    @Test(arguments: [
        ("<a href=x>x</a>", true), ("", true), ("text", true), ("<a href=x>x", false),
        ("<a href=x", false), ("<a href=x>x</a><!--", false), ("<a href=x>x</a><script>", false),
        ("<a href=x>x</a>\n<", false),
    ])
    func `a page that ends in the middle`(text: String, isComplete: Bool) {
        var reader = HTMLLinkReader()
        reader.read(Array(text.utf8)) { _ in }
        #expect(reader.finish { _ in } == isComplete)
    }

    @Test func `the base of the page is the first one`() {
        var reader = HTMLLinkReader()
        reader.read(Array("<base href='/one/'><base href='/two/'>".utf8)) { _ in }
        #expect(reader.base == "/one/")
    }

    @Test func `random bytes are read to their end`() {
        var generator = SystemRandomNumberGenerator()
        let alphabet = Array("<>/!-='\"a href&;# \n\u{0}".utf8) + [0xFF, 0x80]
        for _ in 0..<300 {
            let bytes = (0..<200).map { _ in alphabet.randomElement(using: &generator) ?? 0 }
            let whole = links(String(decoding: bytes, as: UTF8.self))
            #expect(whole.count <= 100)
        }
    }
}
