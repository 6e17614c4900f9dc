import FoundationEssentials
import PawlCLI
import PawlCore
import PawlDaemon
import PawlWire
import Testing

/// A row that is added to a table appears wherever settings are given or shown, without another
/// edit.
@Suite(.timeLimit(.minutes(5)))
struct NewSettingTests {
    private static let row = Setting<DownloadSettings>(
        "sample",
        member: "sampleText",
        \.connection.userAgent,
        .line,
        isChangeable: true,
        field: SettingField("Sample text"),
        help: "Send this sample. Default: {default}."
    )

    /// A copy of the table with another setting.
    private static let table = SettingTable(DownloadSettings.table.settings + [row])

    @Test func `it is a key of input lists`() {
        #expect(DownloadOptions.names(in: Self.table).contains("sample"))
        #expect(!DownloadOptions.names.contains("sample"))
    }

    @Test func `it is a key of the config file`() {
        #expect(DownloadOptions.configNames(in: Self.table).contains("sample"))
        #expect(!DownloadOptions.configNames.contains("sample"))
    }

    @Test func `it is in the description of the API`() {
        let lines = SettingsSchema.lines(Self.table) { $0.isChangeable }
        let line = lines.first { $0.contains("sampleText") } ?? ""
        #expect(line.hasPrefix("        sampleText: {type: string, description: "))
        #expect(line.contains("Send this sample."))
    }

    @Test func `its default is that of its value`() {
        let count = Setting<Sample>(
            "count",
            member: "count",
            \.count,
            .count(1...9),
            help: "A count. Default: {default}."
        )
        let table = SettingTable<Sample>([count])
        #expect(table[name: "count"]?.help == "A count. Default: 1.")
        #expect(table[name: "count"]?.about == "A count. Default: 1.")
    }

    /// Numbers and truth values of defaults come from the values, so that no text can be outdated.
    @Test func `no row writes a default that its value has`() throws {
        try expectNoWrittenDefaults(DownloadSettings.table)
        try expectNoWrittenDefaults(DaemonSettings.table)
    }

    private func expectNoWrittenDefaults<Root>(_ table: SettingTable<Root>) throws {
        for setting in table.settings {
            let value = setting.encode(Root())
            guard value != .null else { continue }
            for text in [setting.help, setting.about] {
                guard let found = text.firstMatch(of: /Default: (\d+|true|false)\b/) else {
                    continue
                }
                #expect(found.1 == value.brief, "\(setting.name)")
            }
        }
    }

    /// The references also describe values that programs give.
    ///
    /// Only the command can ask for a value.
    @Test func `no reference promises a prompt`() {
        #expect(DownloadSettings.table.settings.allSatisfy { !$0.about.contains("you are asked") })
        #expect(DaemonSettings.table.settings.allSatisfy { !$0.about.contains("you are asked") })
    }

    @Test func `it is in the reference`() {
        let document = SettingsReference.markdown(Self.table, hasProperties: true)
        let cells = ["`--sample`", "`connection.userAgent`", "`sampleText`", "`text`"]
        #expect(document.contains("| \(cells.joined(separator: " | ")) |"))
    }

    @Test func `it is a field of the page's forms`() {
        #expect(Self.table.formFields.json.contains(#""label": "Sample text""#))
    }

    @Test func `it has a schema`() {
        let schema = Self.table[name: "sample"]?.schema
        #expect(schema == ["type": "string"])
    }

    /// The names of settings in a table that the command can give and no help shows as an option.
    ///
    /// `command`: the only command whose help counts, if not all.
    private func missingOptions<Root>(
        of table: SettingTable<Root>,
        in command: String? = nil
    ) -> [String] {
        let texts = HelpText.all(columns: 200)
            .filter { command == nil || $0.command == "pawl \(command ?? "") --help" }
            .map(\.text).joined(separator: " ")
        let words = texts.split { " ,[]\n".contains($0) }
        let options = Set(words.map(String.init))
        return table.settings.filter { $0.entries.contains(.command) }
            .filter { command == nil || $0.isChangeable }.map(\.name)
            .filter { !options.contains("--\($0)") }
    }

    @Test func `that its option is missing in the help is found`() {
        #expect(missingOptions(of: DownloadSettings.table) == [])
        #expect(missingOptions(of: Self.table) == ["sample"])
        #expect(missingOptions(of: DaemonSettings.table) == [])
    }

    @Test func `that pawl set cannot change it is found`() {
        #expect(missingOptions(of: DownloadSettings.table, in: "set") == [])
        #expect(missingOptions(of: Self.table, in: "set") == ["sample"])
    }

    /// Settings of a type of their own, as JSON has their static table.
    private struct Sample: TabledSettings, Equatable {
        var text = "usual"
        var count = 1

        static let table = SettingTable<Sample>([
            Setting("text", member: "text", \.text, .line, help: "A text."),
            Setting("count", member: "count", \.count, .count(1...9), help: "A count."),
        ])
    }

    @Test func `it is in the JSON of the protocol and the store, in both directions`() throws {
        let json = #"{"count":3,"text":"other"}"#
        let document = try WireJSON.decode(SettingsDocument<Sample>.self, from: json.utf8)
        #expect(try document.settings() == Sample(text: "other", count: 3))
        let written = try WireJSON.encode(SettingsDocument(Sample(text: "other", count: 3)))
        #expect(String(decoding: written, as: UTF8.self) == json)
    }
}
