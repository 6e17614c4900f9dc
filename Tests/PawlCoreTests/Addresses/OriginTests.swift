import struct FoundationEssentials.URL
import PawlCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct OriginTests {
    private static let fields = [
        "Accept", "authorization", "Cookie", "Proxy-Authorization", "X-API-Key", "Private-Token",
        "X-Secret-Thing", "Referer", "X-Own", "If-None-Match", "Content-Type",
    ].map { HTTPField(name: $0, value: "v") }
    private static let credentials = Credentials(name: "me", password: "pw")

    private func send(to url: String, from original: String) throws -> ([String], Credentials?) {
        let original = try origin(original)
        let origin = try origin(url)
        let sent = RedirectPolicy.fieldsToSend(
            Self.fields,
            credentials: Self.credentials,
            original: original,
            to: origin
        )
        return (sent.fields.map(\.name), sent.credentials)
    }

    private func origin(_ text: String) throws -> Origin {
        let url = try #require(URL(string: text))
        return try #require(Origin(url))
    }

    @Test(arguments: [
        ("https://h.example/x", "https://h.example/y"),
        ("https://H.Example/x", "https://h.example/y"),
        ("https://h.example:443/x", "HTTPS://h.example/y"),
        ("http://h.example:80/x", "http://h.example/y"),
    ])
    func `the same origin gets all fields`(url: String, original: String) throws {
        let (names, credentials) = try send(to: url, from: original)
        #expect(names == Self.fields.map(\.name))
        #expect(credentials == Self.credentials)
    }

    @Test(arguments: [
        ("https://other.example/x", "https://h.example/y"),
        ("https://sub.h.example/x", "https://h.example/y"),
        ("https://h.example.evil.example/x", "https://h.example/y"),
        ("https://h.example:8443/x", "https://h.example/y"),
        ("http://h.example/x", "https://h.example/y"),
        ("https://h.example/x", "http://h.example/y"),
        ("http://h.example:443/x", "https://h.example/y"),
        ("http://127.0.0.2/x", "http://127.0.0.1/x"),
        ("http://[::2]/x", "http://[::1]/x"),
    ])
    func `another origin gets only fields that describe the request`(
        url: String,
        original: String
    ) throws {
        let (names, credentials) = try send(to: url, from: original)
        #expect(names == ["Accept", "If-None-Match", "Content-Type"])
        #expect(credentials == nil)
    }

    @Test func `another origin gets marked fields, but no secret`() throws {
        let fields = ["X-Own", "Cookie", "Authorization", "X-API-Key", "Referer"].map {
            HTTPField(name: $0, value: "v", isForAnyOrigin: true)
        }
        let sent = RedirectPolicy.fieldsToSend(
            fields,
            credentials: Self.credentials,
            original: try origin("https://h.example/x"),
            to: try origin("https://other.example/x")
        )
        #expect(sent.fields.map(\.name) == ["X-Own", "Referer"])
        #expect(sent.credentials == nil)
    }

    @Test func `only URLs of known schemes have origins`() throws {
        #expect(try Origin(#require(URL(string: "gopher://h.example/"))) == nil)
        #expect(Origin(URL(filePath: "/etc/passwd")) == nil)
    }

    @Test(arguments: [
        ("https://H.example/x", "https://h.example"),
        ("http://h.example:8080/x", "http://h.example:8080"),
        ("http://[::1]:80/x", "http://[::1]"),
    ])
    func `an origin is written without its default port`(url: String, expected: String) throws {
        #expect(try Origin(#require(URL(string: url)))?.description == expected)
    }
}
