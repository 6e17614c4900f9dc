import PawlCore
import PawlDaemon
import PawlWire
import Testing

@Suite(.timeLimit(.minutes(5)))
struct BaseURLTests {
    @Test(
        arguments: [
            ("https://host.example/downloads/", "https://host.example/downloads/"),
            ("HTTPS://Host.Example:443/downloads", "https://host.example/downloads/"),
            ("http://host.example:80", "http://host.example/"),
            ("http://192.0.2.1:8080/a/b-c_d.e~f/", "http://192.0.2.1:8080/a/b-c_d.e~f/"),
            ("https://[2001:db8::1]:8443/", "https://[2001:db8::1]:8443/"),
            ("https://[2001:db8::1]/x", "https://[2001:db8::1]/x/"),
        ]
    )
    func `a base URL has one form`(text: String, form: String) throws {
        let url = try BaseURL(parsing: text)
        #expect(url.text == form)
        #expect(try BaseURL(parsing: url.text) == url)
    }

    @Test(
        arguments: [
            "", "host.example", "/downloads/", "ftp://host.example/", "https://",
            "https:///downloads", "https://user@host.example/", "https://host.example:0/",
            "https://host.example:x/", "https://host.example/?a", "https://host.example/a?b",
            "https://host.example/a#b", "https://host.example//", "https://host.example/a//b",
            "https://host.example/../a", "https://host.example/./a", "https://host.example/a%2Fb",
            "https://host.example/a b", "https://[::1/", "https://[127.0.0.1]/", "https://h\r\ny/",
            "https://host.example/v1/", "https://host.example/assets/a", "https://host.example/é",
        ]
    )
    func `anything else is refused with advice`(text: String) {
        let error = #expect(throws: ValueError.self) { try BaseURL(parsing: text) }
        #expect(error?.advice.isEmpty == false)
    }

    @Test func `no base URL begins like a path of the daemon`() {
        let names = APIRoute.all.map(\.path) + PageFile.all.map(\.path)
        let first = Set(names.compactMap { $0.split(separator: "/").first.map(String.init) })
        #expect(first == BaseURL.ownNames)
    }

    @Test func `a proxy may keep the path or strip it`() throws {
        let url = try BaseURL(parsing: "https://host.example/downloads/")
        for (given, own) in [
            ("/downloads/v1/status?a=/b", "/v1/status?a=/b"), ("/downloads/", "/"),
            ("/v1/status", "/v1/status"), ("/", "/"), ("/downloads", "/downloads"),
            ("/downloadsx/v1", "/downloadsx/v1"), ("/Downloads/v1", "/Downloads/v1"),
            ("/downloads/downloads/", "/downloads/"), ("*", "*"), ("", ""),
        ] {
            #expect(url.ownTarget(given) == own)
        }
        #expect(url.lacksSlash("/downloads") && url.lacksSlash("/downloads?a"))
        #expect(!url.lacksSlash("/downloads/") && !url.lacksSlash("/"))
        let root = try BaseURL(parsing: "https://host.example/")
        #expect(root.ownTarget("/v1/status") == "/v1/status")
        #expect(!root.lacksSlash("") && !root.lacksSlash("/"))
    }
}
