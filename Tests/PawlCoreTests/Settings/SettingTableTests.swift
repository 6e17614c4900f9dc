import FoundationEssentials
import PawlCore
import PawlTesting
import Testing

/// The table of a download's settings.
@Suite(.timeLimit(.minutes(5)))
struct SettingTableTests {
    private typealias Document = SettingsDocument<DownloadSettings>
    private static let table = DownloadSettings.table

    @Test(arguments: table.settings.map(\.name))
    func `a value other than the default survives JSON`(name: String) throws {
        let settings = try SettingSamples.settings([name])
        #expect(settings != DownloadSettings())
        let document = Document(settings)
        #expect(document.members.count == 1)
        let json = try JSONEncoder().encode(document)
        let read = try JSONDecoder().decode(Document.self, from: json)
        #expect(read == document)
        #expect(Document(try read.settings()) == document)
        #expect(Document(DownloadSettings()).isEmpty)
    }

    @Test func `all settings together survive JSON`() throws {
        let settings = try SettingSamples.settings(Self.table.settings.map(\.name))
        let document = Document(settings)
        #expect(document.members == Set(Self.table.settings.compactMap(\.member)))
        let read = try JSONDecoder().decode(Document.self, from: try JSONEncoder().encode(document))
        let back = try read.settings()
        #expect(back.fields == settings.fields)
        #expect(back.credentials == settings.credentials)
        #expect(back.mirrors == settings.mirrors)
        #expect(Document(back) == document)
    }

    @Test func `null restores the default`() throws {
        let settings = try SettingSamples.settings(Self.table.settings.map(\.name))
        var document = Document()
        for member in Self.table.settings.compactMap(\.member) { document[member: member] = .null }
        #expect(Document(try document.settings(over: settings)).isEmpty)
        #expect(Document(settings).merging(document).isEmpty)
    }

    /// `Mirror` finds each stored property, so that none can be forgotten.
    @Test func `each property of the settings has a row`() throws {
        let all = try SettingSamples.settings(Self.table.settings.map(\.name))
        // These are set by the program, never by its user.
        let ofConnection: Set = [
            "socketPath", "allowsPrivateAddresses", "allowsPrivateProxies", "actsForProcessOwner",
        ]
        func expectChanged(_ one: Any, _ other: Any, without left: Set<String> = []) {
            let usual = Dictionary(
                uniqueKeysWithValues: Mirror(reflecting: other).children.map {
                    ($0.label ?? "", "\($0.value)")
                }
            )
            for child in Mirror(reflecting: one).children {
                let name = child.label ?? ""
                guard !left.contains(name) else { continue }
                #expect(usual[name] != "\(child.value)", "no row changes \(name)")
            }
        }
        expectChanged(all, DownloadSettings(), without: ["connection"])
        expectChanged(all.connection, ConnectionSettings(), without: ofConnection)
    }

    @Test func `names and members are unique, and every help text is a sentence`() {
        let names = Self.table.settings.map(\.name)
        #expect(Set(names).count == names.count)
        let members = Self.table.settings.compactMap(\.member)
        #expect(Set(members).count == members.count)
        for setting in Self.table.settings {
            #expect(setting.help.hasSuffix("."), "\(setting.name)")
            // The words of a command are given together.
            let isList = setting.schema["items"] != nil && setting.valueName != "command"
            #expect(setting.isRepeatable == isList)
        }
    }

    @Test func `a document shows which values are given`() {
        var document = Document()
        #expect(document[\.retries] == nil)
        document[\.retries] = 10
        #expect(document[\.retries] == 10)
        #expect(document[\.limitBytesPerSecond] == nil)
        document[\.limitBytesPerSecond] = .some(nil)
        #expect(document[\.limitBytesPerSecond] == .some(nil))
        document[member: "retries"] = -1
        #expect(document[\.retries] == nil, "a value that is not valid")
        document[\.limitBytesPerSecond] = nil
        #expect(document.members == ["retries"])
    }

    @Test func `secrets can be omitted`() throws {
        let settings = try SettingSamples.settings(Self.table.settings.map(\.name))
        let text = String(
            decoding: try JSONEncoder().encode(Document(settings).withoutSecrets),
            as: UTF8.self
        )
        #expect(!text.contains("secret"))
        #expect(!text.contains("X-A"))
        #expect(text.contains("retries"))
    }

    private static let invalid: [(String, JSONValue)] = [
        ("retries", "3"), ("retries", -1), ("connections", 65), ("stallTimeoutSeconds", 0),
        ("resumes", 1), ("fields", ["a"]), ("fields", "a"), ("credentials", ["name": "a"]),
        ("checksum", "sha256=12"), ("mirrors", ["gopher://h/"]), ("authoritiesFile", "relative"),
        ("ifExists", "ask"), ("userAgent", "a\nb"),
    ]

    @Test(arguments: invalid)
    func `an invalid value is refused and its member is named`(member: String, value: JSONValue) {
        var document = Document()
        document[member: member] = value
        let error = #expect(throws: DownloadError.self) { try document.settings() }
        #expect(error?.code == .usage)
        #expect(error?.message.contains("'\(member)'") == true)
    }
}
