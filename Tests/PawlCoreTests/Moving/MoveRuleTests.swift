import PawlCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct MoveRuleTests {
    private var file: FinishedFacts {
        var file = FinishedFacts(name: "disk.iso", size: 2 << 30)
        file.host = "Mirror.Example.org"
        file.mediaType = "application/x-iso9660-image"
        (file.session, file.label) = ("nightly", "images")
        return file
    }

    @Test(
        arguments: [
            ("name=*.iso -> /a", true), ("name=disk.???->/a", true), ("name=*.ISO -> /a", false),
            ("host=*.example.ORG -> /a", true), ("host=example.org -> /a", false),
            ("type=application/* -> /a", true), ("type=video/* -> /a", false),
            ("size>1G -> /a", true), ("size>2G -> /a", false), ("size<2147483649 -> /a", true),
            ("size<2G -> /a", false), ("session=nightly -> /a", true),
            ("session=night* -> /a", false), ("label=images -> /a", true),
            ("label=Images -> /a", false), ("  name = *.iso ,  size > 1.5G  ->  /a", true),
            ("name=*.iso,label=films -> /a", false),
        ]
    )
    func `a file matches if it meets all conditions`(text: String, matches: Bool) throws {
        let rule = try MoveRule(parsing: text)
        #expect(rule.matches(file) == matches)
        #expect(rule.text == text)
        #expect(rule.folder(home: nil) == "/a")
    }

    @Test func `what is not known meets no condition`() throws {
        let plain = FinishedFacts(name: "disk.iso", size: 1)
        for text in ["host=*", "type=*", "session=nightly", "label=images"] {
            #expect(try !MoveRule(parsing: "\(text) -> /a").matches(plain), "\(text)")
        }
    }

    @Test(
        arguments: [
            "", "name=*.iso", "name=*.iso > /a", "-> /a", "name=*.iso, -> /a", "name= -> /a",
            "size=1 -> /a", "name>a -> /a", "size>big -> /a", "size>-1 -> /a", "colour=red -> /a",
            "name=*.iso -> images", "name=*.iso -> ", "name=*.iso -> ~other/a",
            "name=*\u{7} -> /a", "name=" + String(repeating: "a", count: 5000) + " -> /a",
        ]
    )
    func `an invalid rule is refused`(text: String) {
        #expect(throws: ValueError.self) { try MoveRule(parsing: text) }
    }

    @Test func `the first rule that matches decides`() throws {
        let rules = try [
            "name=*.zip -> /zips", "size>1G -> ~/Large", "name=*.iso -> /images",
        ].map { (text) throws(ValueError) in try MoveRule(parsing: text) }
        #expect(rules.folder(for: file, home: "/home/me") == "/home/me/Large")
        #expect(rules.folder(for: file, home: nil) == nil)
        let small = FinishedFacts(name: "small.iso", size: 1)
        #expect(rules.folder(for: small, home: "/home/me") == "/images")
        let other = FinishedFacts(name: "text", size: 1)
        #expect(rules.folder(for: other, home: "/home/me") == nil)
    }

    @Test func `the rule none keeps each file where it is, whatever rules follow`() throws {
        let rules = try ["name=*.zip -> /zips", " none ", "name=*.iso -> /images"].map {
            (text) throws(ValueError) in try MoveRule(parsing: text)
        }
        #expect(rules[1].text == "none")
        #expect(rules.folder(for: file, home: "/home/me") == nil)
        let archive = FinishedFacts(name: "a.zip", size: 1)
        #expect(rules.folder(for: archive, home: nil) == "/zips")
    }

    @Test func `a rule is the same in text and in JSON`() throws {
        var settings = DownloadSettings()
        let setting = try #require(DownloadSettings.table[name: "move"])
        try setting.parse(&settings, "name=*.iso -> /a")
        try setting.parse(&settings, "label=x -> ~/b")
        #expect(settings.moveRules.map(\.text) == ["name=*.iso -> /a", "label=x -> ~/b"])
        var document = SettingsDocument<DownloadSettings>(settings)
        #expect(try document.settings().moveRules == settings.moveRules)
        document[member: "moveRules"] = .list([.text("no arrow")])
        #expect(throws: DownloadError.self) { try document.settings() }
        #expect(!setting.entries.contains(.network))
        #expect(setting.entries.contains(.config))
    }
}
