import PawlCore
import Testing

/// The cookie file, which several processes may change.
@Suite(.timeLimit(.minutes(5)))
struct CookieFileContentTests {
    private let now: Int64 = 1_000

    private func line(_ name: String, _ value: String, expires: Int64 = 2_000) -> String {
        ".a.example\tTRUE\t/\tFALSE\t\(expires)\t\(name)\t\(value)"
    }

    private func cookies(_ lines: [String]) -> [CookieLine] { lines.compactMap { CookieLine($0) } }

    private func content(_ lines: [String]) -> CookieFileContent {
        CookieFileContent(lines.joined(separator: "\n"), at: now)
    }

    private func lines(_ content: CookieFileContent) -> [String] { content.cookies.map(\.text) }

    @Test func `comments, damaged lines and expired cookies are not read`() {
        let found = content([
            "# Netscape HTTP Cookie File", "", line("a", "1"), "a\tb\tc",
            line("old", "1", expires: 999), "#HttpOnly_" + line("b", "1"),
            line("s", "1", expires: 0),
            "Set-Cookie: a=b\tTRUE\t/\tFALSE\t0\tx\ty",
        ])
        #expect(
            lines(found) == [
                line("a", "1"), "#HttpOnly_" + line("b", "1"), line("s", "1", expires: 0),
            ]
        )
    }

    @Test func `line breaks of other systems are accepted`() {
        let found = CookieFileContent("\(line("a", "1"))\r\n\(line("b", ""))\r\n", at: now)
        #expect(lines(found) == [line("a", "1"), line("b", "")])
    }

    @Test func `the text can be read again`() {
        let found = content([line("a", "1"), line("b", "2")])
        #expect(found.text.hasPrefix("# Netscape HTTP Cookie File\n"))
        #expect(CookieFileContent(found.text, at: now) == found)
    }

    @Test func `only the program's own changes are applied`() {
        // Another process has added one cookie and removed another meanwhile.
        var found = content([line("a", "1"), line("theirs", "1"), line("gone", "1")])
        found.apply(
            from: cookies([line("a", "1"), line("removed", "1"), line("gone", "1")]),
            to: cookies([line("a", "1"), line("removed", "1"), line("mine", "1")]),
            at: now
        )
        #expect(lines(found) == [line("a", "1"), line("theirs", "1"), line("mine", "1")])
    }

    @Test func `of two changes of one cookie the last one wins`() {
        var found = content([line("a", "theirs")])
        found.apply(from: cookies([line("a", "1")]), to: cookies([line("a", "mine")]), at: now)
        #expect(lines(found) == [line("a", "mine")])
    }

    @Test func `cookies of a session and expired ones are not written`() {
        var found = content([line("a", "1")])
        let new = [
            line("s", "1", expires: 0), line("old", "1", expires: 900), line("a", "2", expires: 0),
        ]
        found.apply(from: cookies([line("a", "1")]), to: cookies(new), at: now)
        #expect(found.cookies.isEmpty)
    }

    @Test func `a line that is only written in another way stays as it is`() {
        let exported = "a.example\tTRUE\t/\tFALSE\t0\ts\t1"
        var found = content([exported])
        let libcurls = ".a.example\tTRUE\t/\tFALSE\t0\ts\t1"
        found.apply(from: cookies([exported]), to: cookies([libcurls]), at: now)
        #expect(lines(found) == [exported])
    }

    @Test func `a cookie that only becomes secure or hidden from scripts is written`() {
        let open = "a.example\tFALSE\t/\tFALSE\t2000\ts\t1"
        let secure = "a.example\tFALSE\t/\tTRUE\t2000\ts\t1"
        for closed in [secure, "#HttpOnly_" + open] {
            var found = content([open])
            found.apply(from: cookies([open]), to: cookies([closed]), at: now)
            #expect(lines(found) == [closed])
        }
    }
}
