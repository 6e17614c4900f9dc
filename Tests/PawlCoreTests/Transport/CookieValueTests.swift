import FoundationEssentials
import PawlCore
import Testing

/// Cookies as a program sees them.
@Suite(.timeLimit(.minutes(5)))
struct CookieValueTests {
    private func cookie(_ line: String) throws -> Cookie {
        Cookie(try #require(CookieLine(line)))
    }

    @Test func `a line of a cookie file is a cookie`() throws {
        let own = try cookie("A.example\tFALSE\t/films\tTRUE\t2000\tid\tsecret")
        #expect(own.name == "id")
        #expect(own.value == "secret")
        #expect(own.domain == "a.example")
        #expect(!own.includesSubdomains)
        #expect(own.path == "/films")
        #expect(own.isSecure && !own.isHTTPOnly)
        #expect(own.expiryDate == Date(timeIntervalSince1970: 2000))
        let wide = try cookie("#HttpOnly_.a.example\tTRUE\t/\tFALSE\t0\tid")
        #expect(wide.domain == "a.example" && wide.includesSubdomains)
        #expect(wide.isHTTPOnly && !wide.isSecure)
        #expect(wide.value.isEmpty)
        #expect(wide.expiryDate == nil)
        #expect(own.key != wide.key)
        #expect(wide.key == CookieLine("a.example\tTRUE\t/\tFALSE\t0\tid\tx")?.key)
    }

    @Test func `a created cookie has the line of a cookie file`() throws {
        let plain = try Cookie("id", value: "a=b", domain: "A.example")
        #expect(plain.line?.text == "a.example\tFALSE\t/\tFALSE\t0\tid\ta=b")
        #expect(plain.domain == "a.example" && !plain.includesSubdomains)
        var wide = try Cookie(
            "id",
            value: "",
            domain: ".a.example",
            path: "/films",
            expiryDate: Date(timeIntervalSince1970: 2000.5)
        )
        (wide.isSecure, wide.isHTTPOnly) = (true, true)
        #expect(wide.domain == "a.example" && wide.includesSubdomains)
        let line = try #require(wide.line)
        #expect(line.text == "#HttpOnly_.a.example\tTRUE\t/films\tTRUE\t2000\tid\t")
        #expect(line.key == wide.key)
        wide.expiryDate = Date(timeIntervalSince1970: 2000)
        #expect(Cookie(line) == wide)
        wide.includesSubdomains = false
        #expect(wide.key.domain == "a.example")
        wide.expiryDate = Date(timeIntervalSince1970: -5)
        #expect(wide.line?.expires == 1)
    }

    @Test(
        arguments: [
            ("", "v", "a.example", "/"), ("i d", "v", "a.example", "/"),
            ("i=d", "v", "a.example", "/"), ("id", "v;w", "a.example", "/"),
            ("id", "v\tw", "a.example", "/"), ("id", "v\nw", "a.example", "/"),
            ("id", "v", "", "/"), ("id", "v", ".", "/"), ("id", "v", "a.example/b", "/"),
            ("id", "v", "a.example", ""), ("id", "v", "a.example", "b"),
            ("id", "v", "a.example", "/\r\n"),
        ]
    )
    func `a cookie that cannot be sent is refused`(
        name: String,
        value: String,
        domain: String,
        path: String
    ) {
        let error = #expect(throws: DownloadError.self) {
            try Cookie(name, value: value, domain: domain, path: path)
        }
        #expect(error?.code == .usage)
    }

    @Test func `the texts of a cookie do not contain its value`() throws {
        let cookie = try cookie("a.example\tTRUE\t/\tFALSE\t0\tid\tsecret")
        #expect("\(cookie)" == "id of .a.example/")
        var dumped = ""
        dump([cookie], to: &dumped)
        for text in ["\(cookie)", String(reflecting: cookie), "\([cookie])", dumped] {
            #expect(!text.contains("secret"), "\(text)")
        }
    }

    @Test(arguments: [
        ("a.example\tFALSE\t/\tFALSE", "http://a.example/x", true),
        ("a.example\tFALSE\t/\tFALSE", "https://A.EXAMPLE:8443", true),
        ("a.example\tFALSE\t/\tFALSE", "http://b.a.example/", false),
        ("a.example\tTRUE\t/\tFALSE", "http://b.a.example/", true),
        ("a.example\tTRUE\t/\tFALSE", "http://a.example/", true),
        ("a.example\tTRUE\t/\tFALSE", "http://ba.example/", false),
        ("a.example\tTRUE\t/\tFALSE", "http://example/", false),
        ("0.0.1\tTRUE\t/\tFALSE", "http://127.0.0.1/", false),
        ("a.example\tFALSE\t/\tTRUE", "http://a.example/", false),
        ("a.example\tFALSE\t/\tTRUE", "https://a.example/", true),
        ("127.0.0.1\tFALSE\t/\tTRUE", "http://127.0.0.1/", true),
        ("a.example\tFALSE\t/films\tFALSE", "http://a.example/films", true),
        ("a.example\tFALSE\t/films\tFALSE", "http://a.example/films/1?q", true),
        ("a.example\tFALSE\t/films/\tFALSE", "http://a.example/films/1", true),
        ("a.example\tFALSE\t/films\tFALSE", "http://a.example/filmsets", false),
        ("a.example\tFALSE\t/films\tFALSE", "http://a.example", false),
    ])
    func `a cookie applies to the URLs of its host and path`(
        line: String,
        url: String,
        applies: Bool
    ) throws {
        let cookie = try cookie(line + "\t0\tid\t7")
        #expect(cookie.applies(to: try #require(URL(string: url))) == applies)
    }
}
