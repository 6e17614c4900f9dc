import PawlCore
import PawlTesting
import Testing

/// All moments are local times of a day in November 2026 unless a test states otherwise.
@Suite(.timeLimit(.minutes(5)))
struct RateLimitTimetableTests {
    private static let day: Int64 = 86_400
    /// Monday, 2 November 2026, 00:00 UTC.
    private static let monday: Int64 = 1_793_577_600
    private static let night = RateLimitTimetable.Period(from: 22 * 60, to: 7 * 60, limit: nil)
    private static let daytime = RateLimitTimetable.Period(
        from: 7 * 60,
        to: 22 * 60,
        limit: 2 << 20
    )

    private static func at(_ day: Int64, _ hour: Int64, _ minute: Int64 = 0) -> Int64 {
        monday + day * Self.day + hour * 3600 + minute * 60
    }

    private func decide(
        _ periods: [RateLimitTimetable.Period],
        at moment: Int64,
        otherwise: Int64? = nil,
        zone: (Int64) -> Int64 = { _ in 0 }
    ) -> RateLimitTimetable.Decision {
        RateLimitTimetable(periods).decision(at: moment, otherwise: otherwise, utcOffset: zone)
    }

    /// Central European Time in 2026: one hour ahead, two from 29 March 01:00 UTC to 25 October
    /// 01:00 UTC.
    private func berlin(_ moment: Int64) -> Int64 {
        (1_774_746_000..<1_792_890_000).contains(moment) ? 7200 : 3600
    }

    @Test(arguments: [
        (0, 0, true, 7), (6, 59, true, 7), (7, 0, false, 22), (12, 30, false, 22),
        (21, 59, false, 22), (22, 0, true, 31), (23, 59, true, 31),
    ])
    func `the rate is limited by day, not by night`(
        hour: Int64,
        minute: Int64,
        isNight: Bool,
        until: Int64
    ) {
        let decision = decide([Self.night, Self.daytime], at: Self.at(2, hour, minute))
        #expect(decision.limit == (isNight ? nil : 2 << 20))
        #expect(decision.isByPeriod)
        #expect(decision.changesAt == Self.at(2, until))
    }

    @Test func `outside all periods the default limit applies`() {
        let noon = RateLimitTimetable.Period(from: 12 * 60, to: 13 * 60, limit: 100)
        let before = decide([noon], at: Self.at(0, 11), otherwise: 7)
        #expect(before == .init(limit: 7, isByPeriod: false, changesAt: Self.at(0, 12)))
        let within = decide([noon], at: Self.at(0, 12), otherwise: 7)
        #expect(within == .init(limit: 100, isByPeriod: true, changesAt: Self.at(0, 13)))
        let after = decide([noon], at: Self.at(0, 13), otherwise: 7)
        #expect(after == .init(limit: 7, isByPeriod: false, changesAt: Self.at(1, 12)))
    }

    @Test func `without periods nothing ever changes`() {
        #expect(decide([], at: 0) == .init(limit: nil, isByPeriod: false, changesAt: nil))
        #expect(
            decide([], at: 0, otherwise: 5) == .init(limit: 5, isByPeriod: false, changesAt: nil)
        )
        let whole = RateLimitTimetable.Period(from: 0, to: 1440, limit: 5)
        #expect(decide([whole], at: 77) == .init(limit: 5, isByPeriod: true, changesAt: nil))
        // Two periods with the same limit.
        let halves = [(0, 720), (720, 1440)].map {
            RateLimitTimetable.Period(from: $0.0, to: $0.1, limit: 5)
        }
        #expect(decide(halves, at: 77).changesAt == nil)
        #expect(decide(halves, at: 77, otherwise: 5).limit == 5)
    }

    @Test func `the first matching period applies`() {
        let lunch = RateLimitTimetable.Period(from: 12 * 60, to: 13 * 60, limit: 1)
        #expect(decide([lunch, Self.daytime], at: Self.at(0, 12, 30)).limit == 1)
        #expect(decide([Self.daytime, lunch], at: Self.at(0, 12, 30)).limit == 2 << 20)
    }

    @Test func `days are those on which a period starts`() {
        let weekend = RateLimitTimetable.Period(
            days: [.friday, .saturday],
            from: 20 * 60,
            to: 9 * 60,
            limit: 1
        )
        let limited = [(4, 20), (4, 23), (5, 0), (5, 8), (5, 20), (6, 8)]
        for (day, hour) in limited {
            #expect(decide([weekend], at: Self.at(Int64(day), Int64(hour))).limit == 1)
        }
        for (day, hour) in [(4, 8), (4, 19), (5, 9), (5, 19), (6, 9), (6, 20), (0, 3), (3, 22)] {
            #expect(decide([weekend], at: Self.at(Int64(day), Int64(hour))).limit == nil)
        }
        // From Sunday morning nothing changes before Friday.
        #expect(decide([weekend], at: Self.at(6, 9)).changesAt == Self.at(11, 20))
        // Across the end of the week.
        let sunday = RateLimitTimetable.Period(days: [.sunday], from: 1380, to: 60, limit: 1)
        #expect(decide([sunday], at: Self.at(7, 0, 30)).limit == 1)
        #expect(decide([sunday], at: Self.at(7, 1)).changesAt == Self.at(13, 23))
    }

    @Test func `periods follow the local clock`() {
        // 06:30 UTC is 07:30 in Berlin in winter, 12:00 in India, 01:30 in New York.
        let moment = Self.at(0, 6, 30)
        let periods = [Self.night, Self.daytime]
        #expect(decide(periods, at: moment).limit == nil)
        #expect(decide(periods, at: moment, zone: berlin).limit == 2 << 20)
        #expect(decide(periods, at: moment, zone: { _ in 19_800 }).limit == 2 << 20)
        let newYork = decide(periods, at: moment, zone: { _ in -18_000 })
        #expect(newYork.limit == nil)
        #expect(newYork.changesAt == Self.at(0, 12))
        // The weekday is local, too: Sunday evening in New York.
        let sunday = RateLimitTimetable.Period(days: [.sunday], from: 0, to: 1440, limit: 9)
        #expect(decide([sunday], at: Self.at(0, 3), zone: { _ in -18_000 }).limit == 9)
        #expect(decide([sunday], at: Self.at(0, 3)).limit == nil)
    }

    @Test func `a night is an hour shorter when the clock is put forward`() {
        // The evening of 28 March 2026, 22:00 in Berlin.
        let evening: Int64 = 1_774_731_600
        let decision = decide([Self.night, Self.daytime], at: evening, zone: berlin)
        #expect(decision.limit == nil)
        #expect(decision.changesAt == evening + 8 * 3600)
    }

    @Test func `a night is an hour longer when the clock is put back`() {
        // The evening of 24 October 2026, 22:00 in Berlin.
        let evening: Int64 = 1_792_872_000
        let decision = decide([Self.night, Self.daytime], at: evening, zone: berlin)
        #expect(decision.limit == nil)
        #expect(decision.changesAt == evening + 10 * 3600)
    }

    @Test func `a skipped time starts when it has passed`() {
        // 02:30 does not exist on 29 March: it has passed from 03:00.
        let period = RateLimitTimetable.Period(from: 150, to: 240, limit: 1)
        let midnight: Int64 = 1_774_738_800
        let before = decide([period], at: midnight, zone: berlin)
        #expect(before == .init(limit: nil, isByPeriod: false, changesAt: 1_774_746_000))
        let within = decide([period], at: 1_774_746_000, zone: berlin)
        #expect(within == .init(limit: 1, isByPeriod: true, changesAt: 1_774_746_000 + 3600))
    }

    @Test func `a repeated time applies twice`() {
        // From 02:30 to 04:00 on 25 October: 02:30 to 03:00, then again from 02:30.
        let period = RateLimitTimetable.Period(from: 150, to: 240, limit: 1)
        let back: Int64 = 1_792_890_000
        var moment = back - 3600
        var changes: [Int64] = []
        while changes.count < 4, let next = decide([period], at: moment, zone: berlin).changesAt {
            changes.append(next - back)
            moment = next
        }
        #expect(changes == [-1800, 0, 1800, 7200])
    }

    /// The predicted change equals the one found by checking every minute.
    @Test func `the next change is correct for random timetables`() {
        var random = TestSeed.generator("timetables")
        for _ in 0..<60 {
            let periods = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                let start = Int.random(in: 0..<1440, using: &random)
                var end = Int.random(in: 1...1440, using: &random)
                if end == start { end = start + 1 }
                let days = Weekday.allCases.filter { _ in Bool.random(using: &random) }
                return RateLimitTimetable.Period(
                    days: Set(days),
                    from: start,
                    to: end,
                    limit: Int64.random(in: 1...2, using: &random)
                )
            }
            let timetable = RateLimitTimetable(periods)
            let centre: Int64 = Bool.random(using: &random) ? 1_774_746_000 : 1_792_890_000
            let start = centre + 60 * Int64.random(in: -3000...1500, using: &random)
            let limit = { (moment: Int64) in
                timetable.decision(at: moment, otherwise: 3, utcOffset: berlin).limit
            }
            let said = timetable.decision(at: start, otherwise: 3, utcOffset: berlin).changesAt
            let first = limit(start)
            var moment = start + 60
            while moment < start + 2 * Self.day, limit(moment) == first { moment += 60 }
            let isFound = moment < start + 2 * Self.day
            #expect(isFound ? said == moment : (said ?? .max) >= moment, "\(periods) from \(start)")
        }
    }

    @Test(arguments: [
        (0, Weekday.thursday), (1, .friday), (3, .sunday), (4, .monday), (-1, .wednesday),
        (-4, .sunday), (20_759, .monday),
    ])
    func `days have their weekdays`(days: Int, weekday: Weekday) {
        #expect(Weekday(daysSince1970: Int64(days)) == weekday)
    }

    @Test func `times of day are read and written`() {
        let right = [
            "0:00": 0, "00:00": 0, "7:05": 425, "07:05": 425, "23:59": 1439, "24:00": 1440,
        ]
        for (text, minutes) in right { #expect(DayTime.minutes(text) == minutes, "\(text)") }
        for text in [
            "", "7", "24:01", "25:00", "12:60", "1:2", "-1:00", "12:00:00", "ab:cd", "+7:00",
        ] {
            #expect(DayTime.minutes(text) == nil, "\(text)")
        }
        #expect(DayTime.text(425) == "07:05")
        #expect(DayTime.text(1440) == "24:00")
    }
}
