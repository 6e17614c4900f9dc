import PawlCLI
import PawlCore
import Testing

/// Lists in the formats of other tools, JSON and CSV.
@Suite(.timeLimit(.minutes(5)))
struct ListFormatTests {
    private func entries(_ text: String, _ name: String = "list") throws -> [InputList.Entry] {
        try InputList(text, name: name).entries
    }

    private func texts(_ entry: InputList.Entry) -> [String] {
        [entry.url] + entry.options.map { "\($0.name)=\($0.value)" }
    }

    @Test func `aria2's lists have mirrors and its own keys`() throws {
        let list = """
            http://a.example/f\thttp://b.example/f\thttp://c.example/f
              out=file.iso
              dir=/tmp
              max-connection-per-server=4
              split=4
              header=A: 1
              header=B: 2
              gid=0123456789abcdef
              checksum=sha-1=da39a3ee5e6b4b0d3255bfef95601890afd80709
            http://a.example/g

            """
        let entries = try entries(list)
        #expect(entries.map(\.url) == ["http://a.example/f", "http://a.example/g"])
        #expect(
            texts(entries[0]) == [
                "http://a.example/f", "mirror=http://b.example/f", "mirror=http://c.example/f",
                "output=file.iso", "directory=/tmp", "connections=4", "header=A: 1",
                "header=B: 2", "checksum=sha-1=da39a3ee5e6b4b0d3255bfef95601890afd80709",
            ]
        )
        _ = try DownloadBatch(urls: [], list: try InputList(list, name: "list"), options: [])
    }

    @Test(arguments: [
        #"["http://a.example/f", {"url": "http://a.example/g", "name": "g", "retries": 3, "mirror": ["http://b.example/g", "http://c.example/g"], "insecure": true, "limit": null}]"#,
        """
        {"url": "http://a.example/f"}

        {"url": "http://a.example/g", "output": "g", "retries": 3, "mirror": ["http://b.example/g", "http://c.example/g"], "insecure": true}
        """,
    ])
    func `JSON has texts and objects, in an array or on lines`(text: String) throws {
        let entries = try entries(text)
        #expect(texts(entries[0]) == ["http://a.example/f"])
        #expect(
            Set(texts(entries[1])) == [
                "http://a.example/g", "output=g", "retries=3", "mirror=http://b.example/g",
                "mirror=http://c.example/g", "insecure=true",
            ]
        )
    }

    @Test func `CSV has columns that the first row names`() throws {
        let text = """
            name,URL,checksum\r
            "a ""b"", c",http://a.example/f,\r
            ,http://a.example/g,md5=d41d8cd98f00b204e9800998ecf8427e\r
            """
        let entries = try entries(text, "files.csv")
        #expect(texts(entries[0]) == ["http://a.example/f", #"output=a "b", c"#])
        #expect(
            texts(entries[1]) == [
                "http://a.example/g", "checksum=md5=d41d8cd98f00b204e9800998ecf8427e",
            ]
        )
        #expect(entries[1].location == "files.csv, line 3")
    }

    @Test func `CSV without names has URLs and names`() throws {
        let entries = try entries("http://a.example/f,x.bin\nhttp://a.example/g\n", "files.CSV")
        #expect(texts(entries[0]) == ["http://a.example/f", "output=x.bin"])
        #expect(texts(entries[1]) == ["http://a.example/g"])
    }

    @Test(arguments: [
        ("[1]", "list", "list, entry 1: there is no URL"),
        ("[{\"url\": \"http://a\", \"weight\": 1}]", "list", "list, entry 1: 'weight' is not"),
        ("[{\"url\": \"http://a\", \"output\": {}}]", "list", "'output' is an object"),
        ("[\"http://a\"", "list", "list: the text is not valid JSON"),
        ("{\"url\": \"http://a\"}\n{", "list", "list, line 2: the text is not valid JSON"),
        ("url\n\"http://a", "l.csv", "l.csv, line 2: a value has wrong quotation marks"),
        ("url\n\"a\"b,c", "l.csv", "l.csv, line 2: a value has wrong quotation marks"),
        ("url\na,b", "l.csv", "l.csv, line 2: there are 2 values for 1 columns"),
        ("url,name\n,b", "l.csv", "l.csv, line 2: there is no URL"),
        ("url,weight\na,1", "l.csv", "l.csv, line 2: 'weight' is not an option"),
        ("[]", "list", "list contains no URL"),
    ])
    func `errors name the location in the list`(text: String, name: String, message: String) {
        let error = #expect(throws: DownloadError.self) { try InputList(text, name: name) }
        #expect(error?.code == .usage)
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    }
}
