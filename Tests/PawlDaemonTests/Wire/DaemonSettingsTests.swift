import FoundationEssentials
import PawlCore
import PawlWire
import Testing

@Suite(.timeLimit(.minutes(5)))
struct DaemonSettingsTests {
    private func change(_ json: String) throws -> DaemonSettingsChange {
        try WireJSON.decode(DaemonSettingsChange.self, from: json.utf8)
    }

    private func changed(
        _ json: String,
        from settings: DaemonSettings = DaemonSettings()
    ) throws -> DaemonSettings {
        try WireJSON.decodeRequest(DaemonSettingsChange.self, from: json.utf8)
            .settings(over: settings)
    }

    @Test func `omitted settings stay, and null restores the default`() throws {
        var settings = DaemonSettings()
        settings.limitBytesPerSecond = 100
        settings.connectionsPerHost = 3
        #expect(try change("{}").isEmpty)
        #expect(try changed("{}", from: settings) == settings)
        let new = try changed(
            #"{"limitBytesPerSecond":null,"usesMeteredNetwork":false}"#,
            from: settings
        )
        #expect(new.limitBytesPerSecond == nil)
        #expect(new.connectionsPerHost == 3)
        #expect(!new.usesMeteredNetwork)
        #expect(new.maximumConcurrentDownloads == 5)
        let reset = try changed(#"{"connectionsPerHost":null}"#, from: settings)
        #expect(reset.connectionsPerHost == 16)
        #expect(
            try changed(#"{"limitBytesPerSecond":0}"#, from: settings).limitBytesPerSecond == nil
        )
        let period = #"{"from":"21:00","to":"22:00","limitBytesPerSecond":0}"#
        let timetable = try changed(#"{"timetable":[\#(period)]}"#, from: settings).timetable
        #expect(timetable.map(\.limitBytesPerSecond) == [nil])
        #expect(
            try WireLimitPeriod(from: "21:00", to: "22:00", limitBytesPerSecond: 0).checked().limit
                == nil
        )
    }

    @Test func `a change is written as it is read`() throws {
        var asked = DaemonSettingsChange()
        asked[\.limitBytesPerSecond] = .some(nil)
        asked[\.timetable] = [
            WireLimitPeriod(days: ["mon"], from: "22:00", to: "07:00", limitBytesPerSecond: nil)
        ]
        asked[\.maximumConcurrentDownloads] = 2
        let json =
            #"{"limitBytesPerSecond":null,"maximumConcurrentDownloads":2,"timetable":"#
            + #"[{"days":["mon"],"from":"22:00","to":"07:00"}]}"#
        #expect(String(decoding: try WireJSON.encode(asked), as: UTF8.self) == json)
        #expect(try change(json) == asked)
    }

    @Test(arguments: ["[]", "7"])
    func `a change that is not an object is an error`(json: String) {
        let error = #expect(throws: DownloadError.self) { try change(json) }
        #expect(error?.code == .badResponse)
    }

    @Test func `an unknown setting is named`() {
        let error = #expect(throws: DownloadError.self) { try changed(#"{"limit":1}"#) }
        #expect(error?.message.contains("unknown member 'limit'") == true)
    }

    @Test(arguments: [
        #"{"limitBytesPerSecond":-1}"#, #"{"connectionsPerHost":0}"#,
        #"{"connectionsPerHost":1001}"#, #"{"maximumConcurrentDownloads":0}"#,
        #"{"limitBytesPerSecond":"2M"}"#, #"{"connectionsPerHost":1.5}"#,
        #"{"timetable":"22:00-07:00 2M"}"#, #"{"timetable":[{"from":"22:00"}]}"#,
        #"{"usesMeteredNetwork":1}"#, #"{"allowedFolders":["relative"]}"#,
        #"{"allowedFolders":["/"]}"#, #"{"listen":"host:1"}"#,
        #"{"aria2Listen":"host:1"}"#, #"{"tlsCertificate":"pawl.pem"}"#, #"{"tlsKey":7}"#,
        #"{"baseURL":"host.example"}"#, #"{"baseURL":7}"#, #"{"trustedProxies":["host"]}"#,
        #"{"trustedProxies":"127.0.0.1"}"#, #"{"trustedProxies":[1]}"#,
        #"{"timetable":[{"from":"22:00","to":"22:00"}]}"#,
        #"{"timetable":[{"from":"24:00","to":"22:00"}]}"#,
        #"{"timetable":[{"from":"x","to":"22:00"}]}"#,
        #"{"timetable":[{"from":"21:00","to":"22:00","limitBytesPerSecond":-1}]}"#,
        #"{"timetable":[{"from":"21:00","to":"22:00","days":["someday"]}]}"#,
        #"{"timetable":[{"from":"21:00","to":"22:00","days":[]}]}"#,
    ])
    func `invalid settings are refused`(json: String) throws {
        let error = #expect(throws: DownloadError.self) { try changed(json) }
        #expect(error?.code == .usage)
        #expect(error?.advice.isEmpty == false)
    }

    @Test func `the length of a timetable is limited`() throws {
        var asked = DaemonSettingsChange()
        let period = WireLimitPeriod(from: "01:00", to: "02:00", limitBytesPerSecond: 1)
        asked[\.timetable] = Array(repeating: period, count: 100)
        #expect(try asked.settings().timetable.count == 100)
        asked[\.timetable] = Array(repeating: period, count: 101)
        #expect(throws: DownloadError.self) { try asked.settings() }
        asked[\.timetable] = []
        #expect(try asked.settings().timetable.isEmpty)
    }

    @Test func `all settings survive the store, which contains only those changed`() throws {
        var settings = DaemonSettings()
        settings.limitBytesPerSecond = 7
        settings.timetable = [WireLimitPeriod(from: "01:00", to: "02:00", limitBytesPerSecond: 1)]
        settings.maximumConcurrentDownloads = 2
        settings.connectionsPerHost = 3
        settings.usesMeteredNetwork = false
        (settings.historyCount, settings.historyDays) = (5, 7)
        settings.allowedFolders = ["/srv"]
        settings.allowsPrivateAddresses = true
        settings.listen = "127.0.0.1:6880"
        (settings.tlsCertificate, settings.tlsKey) = ("/etc/ssl/pawl.pem", "/etc/ssl/pawl.key")
        settings.aria2Listen = "127.0.0.1:6800"
        settings.baseURL = "https://host.example/downloads/"
        settings.trustedProxies = ["127.0.0.1", "10.0.0.0/8"]
        settings.hooks.onStart = try HookCommand(["start"])
        settings.hooks.onComplete = try HookCommand(["complete", "a b"])
        settings.hooks.onError = try HookCommand(["error"])
        settings.hooks.webhook = Webhook(try #require(URL(string: "https://host.example/hook")))
        (settings.hooks.notifies, settings.hooks.unpacks) = (true, true)
        settings.moveRules = [try MoveRule(parsing: "name=*.iso, size>1G -> ~/Images")]
        #expect(
            SettingsDocument(settings).members == Set(DaemonSettings.table.settings.map(\.member))
        )
        let read = try WireJSON.decode(DaemonSettings.self, from: WireJSON.encode(settings))
        #expect(read == settings)
        #expect(SettingsDocument(DaemonSettings()).isEmpty)
        let answer = String(decoding: try WireJSON.encode(DaemonSettings()), as: UTF8.self)
        #expect(answer.contains(#""connectionsPerHost":16"#))
    }

    @Test func `invalid values of another version are ignored`() throws {
        let json =
            #"{"connectionsPerHost":0,"listen":"everywhere","jobs":3,"limitBytesPerSecond":7}"#
        let read = try WireJSON.decode(DaemonSettings.self, from: json.utf8)
        #expect(read.connectionsPerHost == 16)
        #expect(read.limitBytesPerSecond == 7)
    }

    @Test func `invalid periods of a newer store are ignored`() {
        var settings = DaemonSettings()
        settings.timetable = [
            WireLimitPeriod(from: "later", to: "02:00", limitBytesPerSecond: 1),
            WireLimitPeriod(from: "01:00", to: "00:00", limitBytesPerSecond: 1),
        ]
        #expect(settings.rateTimetable.periods == [.init(from: 60, to: 1440, limit: 1)])
    }

    @Test func `the current limit is reported`() throws {
        let current = WireCurrentLimit(.init(limit: 7, isByPeriod: true, changesAt: 1_795_262_400))
        let json = String(decoding: try WireJSON.encode(current), as: UTF8.self)
        #expect(
            json
                == #"{"isByTimetable":true,"limitBytesPerSecond":7,"until":"2026-11-21T12:00:00Z"}"#
        )
    }
}
