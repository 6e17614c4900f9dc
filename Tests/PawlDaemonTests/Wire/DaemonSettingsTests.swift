import FoundationEssentials
import PawlCore
import PawlWire
import Testing

@Suite(.timeLimit(.minutes(1)))
struct DaemonSettingsTests {
    private func change(_ json: String) throws -> DaemonSettingsChange {
        try WireJSON.decode(DaemonSettingsChange.self, from: json.utf8)
    }

    @Test func `what is left out stays, and null puts back the default`() throws {
        var settings = DaemonSettings()
        settings.limitBytesPerSecond = 100
        settings.connectionsPerHost = 3
        #expect(try change("{}").isEmpty)
        #expect(try change("{}").applied(to: settings) == settings)
        let changed = try change(#"{"limitBytesPerSecond":null,"usesMeteredNetwork":false}"#)
            .applied(to: settings)
        #expect(changed.limitBytesPerSecond == nil)
        #expect(changed.connectionsPerHost == 3)
        #expect(changed.usesMeteredNetwork == false)
        #expect(changed.completed.maximumConcurrentDownloads == 5)
        #expect(
            try change(#"{"connectionsPerHost":null}"#).applied(to: settings).completed
                .connectionsPerHost == 16
        )
    }

    @Test func `a change is written as it is read`() throws {
        var asked = DaemonSettingsChange()
        asked.limitBytesPerSecond = .reset
        asked.timetable = .set([
            WireLimitPeriod(days: ["mon"], from: "22:00", to: "07:00", limitBytesPerSecond: nil)
        ])
        asked.maximumConcurrentDownloads = .set(2)
        let json =
            #"{"limitBytesPerSecond":null,"maximumConcurrentDownloads":2,"timetable":"#
            + #"[{"days":["mon"],"from":"22:00","to":"07:00"}]}"#
        #expect(String(decoding: try WireJSON.encode(asked), as: UTF8.self) == json)
        #expect(try change(json) == asked)
    }

    @Test(arguments: [
        #"{"limit":1}"#, #"{"limitBytesPerSecond":"2M"}"#, #"{"connectionsPerHost":1.5}"#,
        #"{"timetable":"22:00-07:00 2M"}"#, #"{"timetable":[{"from":"22:00"}]}"#, "[]", "7",
        #"{"usesMeteredNetwork":1}"#,
    ])
    func `what is no change is an error`(json: String) {
        let error = #expect(throws: DownloadError.self) { try change(json) }
        #expect(error?.code == .badResponse)
    }

    @Test func `a setting that is not known is named`() {
        let error = #expect(throws: DownloadError.self) { try change(#"{"limit":1}"#) }
        #expect(error?.message.contains("'limit' is no setting") == true)
    }

    @Test(arguments: [
        #"{"limitBytesPerSecond":0}"#, #"{"limitBytesPerSecond":-1}"#, #"{"connectionsPerHost":0}"#,
        #"{"connectionsPerHost":1001}"#, #"{"maximumConcurrentDownloads":0}"#,
        #"{"timetable":[{"from":"22:00","to":"22:00"}]}"#,
        #"{"timetable":[{"from":"24:00","to":"22:00"}]}"#,
        #"{"timetable":[{"from":"x","to":"22:00"}]}"#,
        #"{"timetable":[{"from":"21:00","to":"22:00","limitBytesPerSecond":0}]}"#,
        #"{"timetable":[{"from":"21:00","to":"22:00","days":["someday"]}]}"#,
        #"{"timetable":[{"from":"21:00","to":"22:00","days":[]}]}"#,
    ])
    func `what cannot be is refused`(json: String) throws {
        let asked = try change(json)
        let error = #expect(throws: DownloadError.self) { try asked.applied(to: DaemonSettings()) }
        #expect(error?.code == .usage)
        #expect(error?.advice.isEmpty == false)
    }

    @Test func `a timetable has an end`() throws {
        var asked = DaemonSettingsChange()
        let period = WireLimitPeriod(from: "01:00", to: "02:00", limitBytesPerSecond: 1)
        asked.timetable = .set(Array(repeating: period, count: 100))
        #expect(try asked.applied(to: DaemonSettings()).timetable?.count == 100)
        asked.timetable = .set(Array(repeating: period, count: 101))
        #expect(throws: DownloadError.self) { try asked.applied(to: DaemonSettings()) }
        asked.timetable = .set([])
        #expect(try asked.applied(to: DaemonSettings()).timetable == nil)
    }

    @Test func `the periods of a newer store that cannot be are left out`() {
        var settings = DaemonSettings()
        settings.timetable = [
            WireLimitPeriod(from: "later", to: "02:00", limitBytesPerSecond: 1),
            WireLimitPeriod(from: "01:00", to: "00:00", limitBytesPerSecond: 1),
        ]
        #expect(settings.rateTimetable.periods == [.init(from: 60, to: 1440, limit: 1)])
    }

    @Test func `what holds now is told`() throws {
        let current = WireCurrentLimit(.init(limit: 7, isByPeriod: true, changesAt: 1_795_262_400))
        let json = String(decoding: try WireJSON.encode(current), as: UTF8.self)
        #expect(
            json
                == #"{"isByTimetable":true,"limitBytesPerSecond":7,"until":"2026-11-21T12:00:00Z"}"#
        )
    }
}
