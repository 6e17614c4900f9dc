import Pawl
import Testing

/// `robots.txt`, with the examples of RFC 9309.
@Suite(.timeLimit(.minutes(5)))
struct RobotsRulesTests {
    private func allows(_ path: String, _ lines: String...) -> Bool {
        RobotsRules(Array(lines.joined(separator: "\n").utf8)).allows(path)
    }

    @Test(arguments: [
        ("/x", "Disallow: /", false), ("/x", "Disallow:", true), ("/x", "Allow: /", true),
        ("/a/b", "Disallow: /a", false), ("/b/a", "Disallow: /a", true),
        ("/a/b.php", "Disallow: *.php", false), ("/a.php/x", "Disallow: *.php$", true),
        ("/x/a.php", "Disallow: /*.php$", false), ("/x$", "Disallow: /x$$", false),
        ("/a%3Cd", "Disallow: /a%3cd", false), ("/~joe/x", "Disallow: /%7Ejoe/", false),
        ("/a%2Fb", "Disallow: /a/b", true), ("/\u{FC}/x", "Disallow: /%C3%BC/", false),
        ("/abcabd", "Disallow: /a*b*d$", false), ("/a", "disallow : /a # all", false),
        ("/robots.txt", "Disallow: /", true),
    ])
    func `rules for everybody`(path: String, rule: String, isAllowed: Bool) {
        #expect(allows(path, "User-agent: *", rule) == isAllowed)
    }

    @Test func `the longest pattern applies, and of two equal ones the one that allows`() {
        let rules = [
            "User-Agent: *", "Disallow: /a/", "Allow: /a/b/", "Disallow: /a/b/c", "Allow: /x",
            "Disallow: /x",
        ]
        let robots = RobotsRules(Array(rules.joined(separator: "\r\n").utf8))
        #expect(!robots.allows("/a/x"))
        #expect(robots.allows("/a/b/x"))
        #expect(!robots.allows("/a/b/c"))
        #expect(robots.allows("/x"))
    }

    @Test func `a group for pawl replaces the one for all`() {
        let lines = [
            "User-agent: *", "Disallow: /", "", "User-agent: other", "User-agent: PAWL/1.0",
            "Disallow: /own", "Sitemap: https://host/map", "User-agent: third", "Disallow: /third",
        ]
        let robots = RobotsRules(Array(lines.joined(separator: "\n").utf8))
        #expect(robots.allows("/x"))
        #expect(!robots.allows("/own"))
        #expect(robots.allows("/third"))
    }

    @Test func `an empty group for pawl allows all`() {
        #expect(allows("/x", "User-agent: *", "Disallow: /", "User-agent: pawl", "Allow:"))
    }

    @Test func `rules before any group and unreadable lines are ignored`() {
        #expect(allows("/x", "Disallow: /", "nonsense", ": x", "User-agent: *", "Allow: /x"))
        #expect(RobotsRules([0xFF, 0x00, 0x3A, 0x0A]).allows("/x"))
        #expect(RobotsRules.none.allows("/x"))
    }
}
