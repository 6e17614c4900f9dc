import PawlCLI
import PawlCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct InputListTests {
    @Test func `a list contains URLs, comments and options`() throws {
        let list = try InputList(
            """
            # images
            https://host/a.iso
              output=disk.iso
              # a comment between options
            \theader = Cookie: a=b
              header=X: y

            https://host/b.iso#part
            """,
            name: "list.txt"
        )
        #expect(list.entries.map(\.url) == ["https://host/a.iso", "https://host/b.iso#part"])
        #expect(list.entries.map(\.location) == ["list.txt, line 2", "list.txt, line 8"])
        #expect(list.entries[0].options.map(\.name) == ["output", "header", "header"])
        #expect(list.entries[0].options.map(\.value) == ["disk.iso", "Cookie: a=b", "X: y"])
        #expect(list.entries[1].options.isEmpty)
    }

    @Test func `wget's lists may have indented URLs`() throws {
        let list = try InputList(
            "  https://host/a\n\thttps://host/b?c=d\n  output=x\n https://host/c\n",
            name: "list.txt"
        )
        let urls = ["https://host/a", "https://host/b?c=d", "https://host/c"]
        #expect(list.entries.map(\.url) == urls)
        #expect(list.entries.map { $0.options.map(\.value) } == [[], ["x"], []])
    }

    @Test func `a byte order mark, CRLF and a missing last line end are accepted`() throws {
        let list = try InputList(
            "\u{FEFF}https://host/a\r\n  output=x\r\n\r\nhttps://host/b",
            name: "list.txt"
        )
        #expect(list.entries.map(\.url) == ["https://host/a", "https://host/b"])
        #expect(list.entries[0].options.map(\.value) == ["x"])
    }

    @Test(arguments: [
        ("  output=x\nhttps://host/a", "list.txt, line 1: there is no URL above this option"),
        ("https://host/a\n\n  output", "list.txt, line 3: an indented line is an option, but"),
        ("https://host/a\n  colour=red", "list.txt, line 2: 'colour' is not an option that"),
        ("https://host/a\n output=x\n output=y", "list.txt, line 3: 'output' is given twice"),
        ("", "list.txt contains no URL"), ("# nothing\n\n", "list.txt contains no URL"),
    ])
    func `an error names the line`(text: String, message: String) {
        let error = #expect(throws: DownloadError.self) { try InputList(text, name: "list.txt") }
        #expect(error?.code == .usage)
        #expect(error?.message.hasPrefix(message) == true, "\(error?.message ?? "")")
        #expect(error?.advice.isEmpty == false)
    }

    @Test(arguments: [
        ("https://host/a\n  connections=99", "list.txt, line 2: connections: '99'"),
        ("https://host/a\n  checksum=md5=12", "list.txt, line 2: checksum: md5 has 32"),
        ("https://host/a\n  insecure=maybe", "list.txt, line 2: insecure: 'maybe'"),
        ("https://host/a\n  user=me", "list.txt, line 2: user: missing password"),
        ("https://host/a\nnonsense", "list.txt, line 2: "),
    ])
    func `an invalid value in a list is reported with its line`(text: String, message: String)
        throws
    {
        let list = try InputList(text, name: "list.txt")
        let error = #expect(throws: DownloadError.self) {
            try DownloadBatch(urls: [], list: list, options: [])
        }
        #expect(error?.code == .usage)
        #expect(error?.message.hasPrefix(message) == true, "\(error?.message ?? "")")
    }
}
