import FoundationEssentials
import PawlCLI
import PawlCore
import PawlWire
import Testing

@Suite(.timeLimit(.minutes(5)))
struct TimeValueTests {
    @Test(arguments: [
        ("22:00-07:00 unlimited, 07:00-22:00 2M", "22:00-07:00 unlimited, 07:00-22:00 2M"),
        ("mon-fri 7:00-22:00 500k", "mon tue wed thu fri 7:00-22:00 500K"),
        ("  SAT sun  0:00-24:00   1.5M ", "sat sun 0:00-24:00 1536K"),
        ("sat-mon 01:00-02:00 1000", "mon sat sun 01:00-02:00 1000"),
        ("fri 23:00-00:00 1G", "fri 23:00-00:00 1G"),
        ("fri 23:00-00:00 0, 1:00-2:00 off", "fri 23:00-00:00 unlimited, 1:00-2:00 unlimited"),
    ])
    func `timetables are parsed and formatted`(text: String, form: String) throws {
        let periods = try TimetableText.parse(text)
        #expect(TimetableText.text(periods) == form)
        #expect(try TimetableText.parse(form) == periods)
        for period in periods { _ = try period.checked() }
    }

    @Test func `the days and the limit of a period`() throws {
        let periods = try TimetableText.parse("wed-thu 22:00-07:00 2M, 07:00-08:00 unlimited")
        #expect(periods.map(\.days) == [["wed", "thu"], nil])
        #expect(periods.map(\.limitBytesPerSecond) == [2 << 20, nil])
        let first = try periods[0].checked()
        #expect(first.days == [.wednesday, .thursday])
        #expect((first.start, first.end) == (22 * 60, 7 * 60))
    }

    @Test(arguments: [
        "", ",", "22:00-07:00", "22:00 2M", "22:00-07:00 fast", "22:00-07:00 -1", "25:00-07:00 2M",
        "22:00-24:01 2M", "22:00-07:00-08:00 2M", "24:00-07:00 2M", "07:00-07:00 2M",
        "00:00-00:00 2M", "someday 22:00-07:00 2M", "mon-tue-wed 22:00-07:00 2M", "mo 1:00-2:00 2M",
        "22:00-07:00 2M,", "22:00-07:00 2M 3M", "22:00-07:00 -2M", "2M 22:00-07:00",
        "mon,tue 22:00-07:00 2M",
    ])
    func `an invalid timetable is an error with advice`(text: String) {
        let error = #expect(throws: ValueError.self) { try TimetableText.parse(text) }
        #expect(error?.advice.isEmpty == false)
    }

    @Test func `a limit is a rate, or 0 or off for none`() throws {
        #expect(try NumberText.limit("2M") == 2 << 20)
        for text in ["off", "OFF", "unlimited", "none", "0", "0K", "0.0"] {
            #expect(try NumberText.limit(text) == nil)
        }
        for text in ["", "-1", "-0", "0.1", "fast", "2M/s"] {
            #expect(throws: ValueError.self) { try NumberText.limit(text) }
        }
    }

    // MARK: - When to begin

    /// Saturday, 21 November 2026, 20:45 UTC; 21:45 on the wall clock.
    private static let now: Int64 = 1_795_293_900

    private static func read(_ text: String, offset: Int64 = 3600) throws -> Int64? {
        try StartTimeText.parse(text, .init(now: now) { _ in offset })
    }

    @Test(arguments: [
        ("+90m", 5400), ("+2h", 7200), ("+1d", 86_400), ("+30s", 30), ("22:00", 900),
        ("21:45", 86_400), ("21:44", 86_340), ("0:00", 8100), ("2026-11-21 22:00", 900),
        ("2026-11-21T21:00:00Z", 900), ("2026-11-21t22:00:10+01:00", 910),
        ("2026-11-22 03:30:30-02:00", 31_530), ("2026-11-20 00:00", -164_700),
        ("2028-02-29 00:00Z", 40_101_300),
    ])
    func `start times are parsed`(text: String, wait: Int64) throws {
        #expect(try Self.read(text) == Self.now + wait)
    }

    @Test func `now starts immediately`() throws {
        #expect(try Self.read("now") == nil)
        #expect(try Self.read("Now") == nil)
    }

    @Test(arguments: [
        "", "soon", "24:00", "25:00", "7", "+", "+5", "+5w", "-5m", "+1.5h", "+99999999d",
        "2026-11-21", "2026-11-31 00:00", "2026-02-29 00:00", "2026-13-01 00:00", "26-11-21 00:00",
        "2026-11-21 24:00", "2026-11-21 22:00:60", "2026-11-21T22:00+1", "2026-11-21T22:00+25:00",
        "2026-11-21T22:00:00ZZ", "1969-01-01 00:00", "2026-11-21  22:00", "２２:00",
    ])
    func `an invalid start time is an error with advice`(text: String) {
        let error = #expect(throws: ValueError.self) { try Self.read(text) }
        #expect(error?.advice.text(for: .command).contains("22:00") == true)
    }

    @Test func `a time of day is the next one in local time, even across a clock change`() throws {
        // Saturday, 24 October 2026, 23:00 in Berlin; the clock is put back in that night.
        let evening: Int64 = 1_792_875_600
        let berlin = { (moment: Int64) -> Int64 in moment < 1_792_890_000 ? 7200 : 3600 }
        let context = StartTimeText.Context(now: evening, utcOffset: berlin)
        #expect(try StartTimeText.parse("07:00", context) == evening + 9 * 3600)
        #expect(try StartTimeText.parse("01:00", context) == evening + 2 * 3600)
    }

    // MARK: - What is shown

    @Test func `the limits are displayed`() throws {
        var settings = DaemonSettings()
        #expect(
            LimitReport.text(settings) { _ in 0 } == """
                rate       unlimited
                downloads  5 at a time
                per host   16 connections
                metered    use
                history    newest 10000, up to 90 days

                """
        )
        settings.limitBytesPerSecond = 512 << 10
        settings.timetable = try TimetableText.parse("22:00-07:00 unlimited")
        settings.connectionsPerHost = 1
        settings.usesMeteredNetwork = false
        settings.current = WireCurrentLimit(
            .init(limit: nil, isByPeriod: true, changesAt: 1_795_327_200)
        )
        #expect(
            LimitReport.text(settings) { _ in 3600 } == """
                now        unlimited until sun 07:00
                timetable  22:00-07:00 unlimited
                otherwise  512 KiB/s
                downloads  5 at a time
                per host   1 connection
                metered    wait
                history    newest 10000, up to 90 days

                """
        )
    }
}
