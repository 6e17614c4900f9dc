import PawlCore
import PawlDaemon
import PawlTesting
import PawlWire
import Testing

/// openapi.yaml compared with the routes, the tables of settings and the types of the values.
@Suite(.timeLimit(.minutes(5)))
struct APIDocumentTests {
    @Test func `the settings in openapi yaml follow from the tables`() throws {
        let text = try Snapshot.text(of: "openapi.yaml", folder: APIReading.folder)
        try Snapshot.expect(
            try SettingsSchema.replacingSections(in: text),
            matches: "openapi.yaml",
            folder: APIReading.folder
        )
    }

    @Test func `the daemon contains openapi yaml as it is`() throws {
        // If this fails, touch Sources/CPage/openapi.c, so that the file is embedded again.
        let text = try Snapshot.text(of: "openapi.yaml", folder: APIReading.folder)
        #expect(String(decoding: APIDocument.bytes, as: UTF8.self) == text)
    }

    @Test func `docs http-api md is made of openapi yaml`() throws {
        let reading = try APIReading.document()
        #expect(Set(reading.operations.map(\.name)).count == reading.operations.count)
        try Snapshot.expect(
            APIReference(reading: reading).text,
            matches: "http-api.md",
            folder: "../../docs"
        )
    }

    @Test func `openapi yaml describes each route`() throws {
        let reading = try APIReading.document()
        #expect(reading.tree["openapi"]?.text == "3.1.0")
        #expect(reading.tree["info"]?["version"]?.text == "\(ProtocolVersion.current)")
        let operations = Dictionary(
            uniqueKeysWithValues: reading.operations.map { ("\($0.method) \($0.path)", $0) }
        )
        #expect(Set(operations.keys) == Set(APIRoute.all.map(\.name)))
        #expect(operations.count > 20)
        for route in APIRoute.all {
            let operation = try #require(operations[route.name])
            let demands = operation.value["x-demands"]?.items.compactMap(\.text)
            #expect(demands == route.demands.map(\.rawValue), "\(route.name)")
            #expect(operation.needsToken == (route.demands != [.open]), "\(route.name)")
            let parameters = operation.value["parameters"]?.items ?? []
            let named = { (location: String) in
                parameters.filter { $0["in"]?.text == location }.compactMap { $0["name"]?.text }
            }
            #expect(named("query") == route.parameters, "\(route.name)")
            let variables = route.path.split(separator: "/").filter { $0.hasPrefix("{") }
            #expect(named("path") == variables.map { String($0.dropFirst().dropLast()) })
            #expect((operation.body == nil) == (route.body == nil), "\(route.name)")
            if let name = operation.body, let body = route.body {
                let schema = try #require(reading.schemas[name])
                #expect(reading.knownMembers(of: schema) == body.knownMembers, "\(name)")
            }
        }
    }

    @Test func `the words and limits in openapi yaml are those of the values`() throws {
        let reading = try APIReading.document()
        func words(_ schema: String, _ member: String) -> [String]? {
            reading.schemas[schema]?["properties"]?[member]?["enum"]?.items.compactMap(\.text)
        }
        let states = TaskState.allCases.map(\.rawValue)
        #expect(words("Download", "state") == states)
        #expect(words("Segments", "state") == states)
        let priorities = WirePriority.allCases.map(\.rawValue)
        for schema in ["Download", "NewDownload", "DownloadChanges", "Label", "LabelSettings"] {
            #expect(words(schema, "priority") == priorities, "\(schema)")
        }
        #expect(words("Event", "kind") == WireEvent.Kind.allCases.map(\.rawValue))
        func parameter(_ operation: String, _ name: String) -> JSONTree? {
            let found = reading.operations.first { $0.name == operation }
            return found?.value["parameters"]?.items.first { $0["name"]?.text == name }?["schema"]
        }
        let actions = parameter("act", "action")?["enum"]?.items.compactMap(\.text)
        #expect(actions == QueueAction.allCases.map(\.rawValue))
        #expect(
            parameter("listDownloads", "limit")?["maximum"] == .number(Double(ListQuery.mostLimit))
        )
        for operation in [
            "downloadEvents", "listSessions", "listLabels", "hosts", "listLeftovers",
        ] {
            let most = parameter(operation, "limit")?["maximum"]
            #expect(most == .number(Double(PageQuery.mostLimit)), "\(operation)")
        }
    }
}

/// The parts of openapi.yaml that follow from the tables of settings.
enum SettingsSchema {
    /// Replaces the lines between `# settings: NAME` and `# end of settings`.
    static func replacingSections(in text: String) throws -> String {
        var (lines, isInside): ([String], Bool) = ([], false)
        var names: [String] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            let words = line.split(separator: " ")
            if words == ["#", "end", "of", "settings"] { isInside = false }
            if !isInside { lines.append(line) }
            if words.count == 3, words[0] == "#", words[1] == "settings:" {
                names.append(String(words[2]))
                lines += try #require(members(of: names[names.count - 1]))
                isInside = true
            }
        }
        #expect(!isInside)
        #expect(
            names.sorted() == ["DownloadChanges", "DownloadSettings", "Settings", "SettingsChange"]
        )
        return lines.joined(separator: "\n")
    }

    private static func members(of section: String) -> [String]? {
        switch section {
        case "DownloadSettings":
            lines(DownloadSettings.table) { $0.entries.contains(.socket) }
        case "DownloadChanges": lines(DownloadSettings.table) { $0.isChangeable }
        case "Settings": lines(DaemonSettings.table) { _ in true }
        case "SettingsChange": lines(DaemonSettings.table, orNull: true) { _ in true }
        default: nil
        }
    }

    /// The lines of the members of settings, as openapi.yaml has them.
    static func lines<Root>(
        _ table: SettingTable<Root>,
        orNull: Bool = false,
        _ isIncluded: (Setting<Root>) -> Bool
    ) -> [String] {
        table.settings.compactMap { setting in
            guard let member = setting.member, isIncluded(setting) else { return nil }
            let schema = described(setting)
            let value: JSONValue = orNull ? ["anyOf": [schema, ["type": "null"]]] : schema
            return "        \(member): \(flow(value))"
        }
    }

    private static func described<Root>(_ setting: Setting<Root>) -> JSONValue {
        guard case .members(let members) = setting.schema, setting.schema["$ref"] == nil else {
            return setting.schema
        }
        let limits = setting.entries.contains(.network) ? "" : " Not available over TCP."
        let about: [(String, JSONValue)] = [("description", .text(setting.about + limits))]
        return .object(members.map { ($0.name, $0.value) } + about)
    }

    /// A value on one line of YAML.
    private static func flow(_ value: JSONValue) -> String {
        switch value {
        case .members(let members):
            "{\(members.map { "\($0.name): \(flow($0.value))" }.joined(separator: ", "))}"
        case .list(let items): "[\(items.map(flow).joined(separator: ", "))]"
        case .text(let text) where text != "null" && text.allSatisfy(\.isLetter): text
        default: value.json
        }
    }
}
