import struct FoundationEssentials.URL
import PawlCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct SuggestedNameTests {
    @Test(arguments: [
        ("https://x.example/pub/disk.iso", "disk.iso"),
        ("https://x.example/pub/disk.iso?token=a/b#c/d", "disk.iso"),
        ("https://x.example/na%C3%AFve%20plan.txt", "naïve plan.txt"),
        ("https://x.example/%252e%252e%252fevil", "%2e%2e%2fevil"),
        ("https://x.example/a/%2e%2e%2fevil", "evil"),
        ("https://x.example/a/..%5C..%5Cevil", "evil"),
        ("https://x.example/%2ebashrc", "bashrc"),
        ("https://x.example/%00%ff.txt", "__.txt"),
        ("https://x.example/100%25.txt", "100%.txt"),
        ("https://x.example/pub/", "download"),
        ("https://x.example/", "download"),
        ("https://x.example", "download"),
        ("https://x.example?file=disk.iso", "download"),
        ("https://x.example/disk.iso;jsessionid=0A1B2C3D4E5F60718293", "disk.iso"),
        ("https://x.example/a;key=s3cret/disk.iso;v=2;sign=s3cret-s3cret", "disk.iso;v=2"),
        ("https://x.example/;key=s3cret", "download"),
        ("https://x.example/one;two.txt", "one;two.txt"),
    ])
    func `the last component of the URL is the name`(url: String, expected: String) throws {
        let url = try #require(URL(string: url))
        #expect(FileName.suggested(contentDisposition: nil, url: url, mediaType: nil) == expected)
    }

    @Test func `a page without a name is an index`() throws {
        let url = try #require(URL(string: "https://x.example/pub/"))
        let name = FileName.suggested(contentDisposition: nil, url: url, mediaType: "text/html")
        #expect(name == "index.html")
    }

    @Test(arguments: [
        ("attachment; filename=\"../../evil\"", "evil"),
        ("attachment; filename=.bashrc", "bashrc"),
        ("attachment; filename=\"..\"", "disk.iso"),
        ("attachment; filename=", "disk.iso"),
        ("attachment", "disk.iso"),
    ])
    func `the server's name takes precedence and is cleaned`(field: String, expected: String) throws
    {
        let url = try #require(URL(string: "https://x.example/disk.iso"))
        let name = FileName.suggested(contentDisposition: field, url: url, mediaType: "text/html")
        #expect(name == expected)
    }
}
