import PawlCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CookieJarTests {
    private func line(_ name: String, _ value: String, domain: String = "a.example") -> String {
        "\(domain)\tFALSE\t/\tFALSE\t0\t\(name)\t\(value)"
    }

    @Test func `concurrent changes of others are kept`() {
        let jar = CookieJar()
        let (a, b, c) = (line("a", "1"), line("b", "1"), line("c", "1"))
        jar.change([], to: [a, b])
        let (first, second) = (jar.contents.lines, jar.contents.lines)
        // One removes the first cookie; the other changes the second and adds a third.
        jar.change(first, to: [b])
        jar.change(second, to: [a, line("b", "2"), c])
        #expect(jar.contents.lines == [line("b", "2"), c])
    }

    @Test func `a cookie replaces one with the same domain, path and name`() {
        let jar = CookieJar()
        jar.change([], to: [line("a", "1"), line("a", "1", domain: "b.example")])
        jar.change([], to: ["#HttpOnly_" + line("a", "2")])
        #expect(
            jar.contents.lines == [
                line("a", "1", domain: "b.example"), "#HttpOnly_" + line("a", "2"),
            ]
        )
    }

    @Test func `a change gives a new revision, and two jars never share one`() {
        let (jar, other) = (CookieJar(), CookieJar())
        let before = jar.contents.revision
        #expect(jar.has(revision: before))
        #expect(!other.has(revision: before))
        #expect(!jar.has(revision: nil))
        jar.change([], to: [line("a", "1")])
        #expect(!jar.has(revision: before))
        let after = jar.contents.revision
        // Nothing is changed.
        jar.change([line("a", "1")], to: [line("a", "1")])
        #expect(jar.has(revision: after))
    }

    @Test func `the oldest of too many cookies are removed`() {
        let jar = CookieJar()
        for number in 0..<60 { jar.change([], to: [line("n\(number)", "1")]) }
        #expect(jar.contents.lines == (10..<60).map { line("n\($0)", "1") })
        jar.change([], to: (0..<4000).map { line("n", "1", domain: "d\($0)") })
        #expect(jar.contents.lines.count == 3000)
        #expect(jar.contents.lines.last == line("n", "1", domain: "d3999"))
    }

    @Test func `removed cookies stay away from transfers that had them`() {
        let jar = CookieJar()
        let (a, b) = (line("a", "1"), line("b", "1"))
        jar.change([], to: [a, b])
        let sent = jar.contents
        #expect(jar.remove([]) == 0)
        #expect(jar.has(revision: sent.revision))
        let keys = Set([a].compactMap { CookieLine($0)?.key })
        #expect(jar.remove(keys) == 1)
        #expect(!jar.has(revision: sent.revision))
        #expect(jar.remove(keys) == 0)
        // A transfer ends that had the cookie, and has written it in its own way.
        jar.change(sent.lines, to: [a.lowercased(), b, line("c", "1")])
        #expect(jar.contents.lines == [b, line("c", "1")])
        // The server has set it again.
        jar.change(sent.lines, to: [line("a", "2"), b])
        #expect(jar.contents.lines == [b, line("c", "1"), line("a", "2")])
    }

    @Test func `an invalid cookie is not stored`() {
        let jar = CookieJar()
        jar.change([], to: ["", "# Netscape HTTP Cookie File", "a\tb"])
        #expect(jar.contents.lines.isEmpty)
    }
}
