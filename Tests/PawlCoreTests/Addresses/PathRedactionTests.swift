import struct FoundationEssentials.URL
import PawlCore
import Testing

/// Parameters within a URL's path (RFC 3986 §3.3), and how they are redacted.
@Suite(.timeLimit(.minutes(5)))
struct PathRedactionTests {
    @Test(arguments: [
        ("/a;key=s3cret/b", "/a;key=REDACTED/b"),
        ("/a;jsessionid=0A1B2C3D4E5F60718293", "/a;jsessionid=REDACTED"),
        ("/a;v=1.2;sign=x/b;sign=y", "/a;v=1.2;sign=REDACTED/b;sign=REDACTED"),
        ("/;key=s3cret;", "/;key=REDACTED;"),
        ("/a=b/c;d", "/a=b/c;d"),
        ("/key=s3cret", "/key=s3cret"),
        ("/a%3Bkey=s3cret", "/a%3Bkey=s3cret"),
        ("/a;k%65y=s3cret", "/a;k%65y=REDACTED"),
    ])
    func `a parameter of a path is redacted like one of a query`(path: String, shown: String) throws
    {
        let url = try #require(URL(string: "https://h.example\(path)"))
        #expect(url.redacted == "https://h.example\(shown)")
        let again = try #require(URL(string: url.redacted))
        #expect(again.redacted == url.redacted)
    }
}
