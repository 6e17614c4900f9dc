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
