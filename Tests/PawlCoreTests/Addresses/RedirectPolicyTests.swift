import struct FoundationEssentials.URL
import PawlCore
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct RedirectPolicyTests {
    private static let base = "https://h.example/a/b/c?q=1"

    private func next(
        _ location: String,
        from url: String = base,
        hops: Int = 0,
        allowsInsecure: Bool = false
    ) throws -> String {
        try RedirectPolicy(allowsInsecure: allowsInsecure)
            .next(from: #require(URL(string: url)), location: location, hops: hops)
            .absoluteString
    }

    @Test(arguments: [
        ("https://other.example/x", "https://other.example/x"),
        ("HTTPS://Other.example/x", "https://Other.example/x"),
        ("https://other.example", "https://other.example/"),
        ("https://other.example:8443/x?y=z", "https://other.example:8443/x?y=z"),
        ("//other.example/x", "https://other.example/x"),
        ("/x", "https://h.example/x"),
        ("x", "https://h.example/a/b/x"),
        ("./x", "https://h.example/a/b/x"),
        ("../x", "https://h.example/a/x"),
        ("../../../../x", "https://h.example/x"),
        ("?q=2", "https://h.example/a/b/c?q=2"),
        ("/x#part", "https://h.example/x"),
        ("https://other.example/x#part", "https://other.example/x"),
        ("#part", "https://h.example/a/b/c?q=1"),
        (" /x \t", "https://h.example/x"),
        ("/a b/ü.iso", "https://h.example/a%20b/%C3%BC.iso"),
        ("x y?ü=\"<>\"", "https://h.example/a/b/x%20y?%C3%BC=%22%3C%3E%22"),
        ("https://other.example/a b/ü|{}^`", "https://other.example/a%20b/%C3%BC%7C%7B%7D%5E%60"),
        ("/already%20encoded%2Fslash", "https://h.example/already%20encoded%2Fslash"),
        ("/100%", "https://h.example/100%25"),
        ("/\\evil.example/x", "https://h.example/%5Cevil.example/x"),
        ("https://me:pw@other.example/x", "https://other.example/x"),
        ("/x:y", "https://h.example/x:y"),
        ("/x?next=https://e.example/", "https://h.example/x?next=https://e.example/"),
    ])
    func `a location is resolved`(location: String, expected: String) throws {
        #expect(try next(location) == expected)
    }

    @Test(arguments: [
        ("http://h.example/x", ErrorCode.redirectRefused),
        ("HTTP://h.example/x", .redirectRefused),
        ("file:///etc/passwd", .redirectRefused),
        ("ftp://h.example/x", .redirectRefused),
        ("gopher://h.example/x", .redirectRefused),
        ("javascript:alert(1)", .redirectRefused),
        ("data:text/html,x", .redirectRefused),
        ("https://", .badResponse),
        ("https:///x", .badResponse),
        ("https:x", .badResponse),
        ("https:\\\\evil.example\\x", .badResponse),
        ("https://h.example:0/x", .badResponse),
        ("https://h.example:99999/x", .badResponse),
        ("https://a b/x", .badResponse),
        ("https://[::1/x", .badResponse),
        ("https://a\u{0}b/x", .badResponse),
        ("//", .badResponse),
    ])
    func `a forbidden or malformed location is refused`(location: String, code: ErrorCode) {
        let error = #expect(throws: DownloadError.self) { try next(location) }
        #expect(error?.code == code)
    }

    @Test func `HTTPS redirects to HTTP only if allowed`() throws {
        #expect(try next("http://h.example/x", allowsInsecure: true) == "http://h.example/x")
        #expect(try next("/x", from: "http://h.example/a") == "http://h.example/x")
        #expect(try next("//o.example/x", from: "http://h.example/a") == "http://o.example/x")
        #expect(
            try next("https://h.example/x", from: "http://h.example/") == "https://h.example/x"
        )
        #expect(throws: DownloadError.self) {
            try next("file:///etc/passwd", allowsInsecure: true)
        }
    }

    @Test func `no more than twenty redirects are followed`() throws {
        #expect(try next("/x", hops: 19) == "https://h.example/x")
        for hops in [20, 21, Int.max] {
            let error = #expect(throws: DownloadError.self) { try next("/x", hops: hops) }
            #expect(error?.code == .tooManyRedirects)
        }
    }

    @Test func `the maximum number of redirects is a setting, and 0 follows none`() throws {
        let base = try #require(URL(string: Self.base))
        let three = RedirectPolicy(maximum: 3)
        _ = try three.next(from: base, location: "/x", hops: 2)
        let many = #expect(throws: DownloadError.self) {
            try three.next(from: base, location: "/x", hops: 3)
        }
        #expect(many?.code == .tooManyRedirects)
        #expect(many?.message.contains("more than 3 redirects") == true)
        let none = #expect(throws: DownloadError.self) {
            try RedirectPolicy(maximum: 0).next(from: base, location: "/?sig=hunter2", hops: 0)
        }
        #expect(none?.code == .redirectRefused)
        #expect(none?.advice.contains("maximumRedirects") == true)
        #expect(none?.description.contains("hunter2") == false)
    }

    @Test(arguments: [0, 3])
    func `at the limit, a location is judged first and shown as a whole`(maximum: Int) throws {
        let base = try #require(URL(string: Self.base))
        func refusal(_ location: String) -> DownloadError? {
            #expect(throws: DownloadError.self) {
                try RedirectPolicy(maximum: maximum)
                    .next(from: base, location: location, hops: maximum)
            }
        }
        for location in ["file:///etc/passwd", "javascript:alert(1)", "http://h.example/x"] {
            let error = refusal(location)
            #expect(error?.code == .redirectRefused)
            #expect(error?.advice.contains("request that URL") == false, "\(location)")
        }
        #expect(refusal("https://h.example:0/x")?.code == .badResponse)
        let message = refusal("../x?sig=hunter2")?.message
        #expect(message?.contains("https://h.example/a/x?sig=REDACTED") == true)
    }

    @Test(arguments: [
        ("ftp://me:hunter2@h.example/x", 0), ("http://h.example/?token=hunter2", 0),
        ("/?sig=hunter2", 20),
        // Not valid, so it is uncertain where the user's part ends.
        ("http:/\u{301}/me:hunter2@h.example/x", 0), ("https:/\u{301}/me:hunter2@h.example/x", 20),
        ("https://me:hunter2", 0), ("https://me:hunter2", 20),
        ("https://me:x/hunter2@h.example", 0),
        ("ftp:/me:hunter2@h.example/x", 0), ("me:hunter2@h.example/x", 0),
        ("https://me:x%hunter2@h example/", 0),
    ])
    func `an error shows no secret`(location: String, hops: Int) {
        let error = #expect(throws: DownloadError.self) { try next(location, hops: hops) }
        #expect(error?.description.contains("hunter2") == false)
    }

    @Test func `random locations lead to HTTPS or are refused`() async throws {
        var random = TestSeed.generator("locations")
        let pieces = [
            "https:", "http:", "file:", "//", "/", "\\", "@", ":", "?", "#", "[", "]", "..", ".",
            "%",
            "%2f", "h.example", "80", " ", "ü", "\u{0}", "\n", "a",
        ]
        var breath = Breath()
        for _ in 0..<20_000 {
            await breath.take()
            let count = Int.random(in: 0...8, using: &random)
            let text = (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
            guard let next = try? next(text) else { continue }  // a refusal is correct, too
            let parts = AddressParts(next)
            let isSound =
                parts.scheme == "https" && parts.userInfo == nil && parts.fragment == nil
                && parts.hasUsableHost && parts.hasUsablePort
            #expect(isSound, "\(text.debugDescription) gave \(next)")
        }
    }
}
