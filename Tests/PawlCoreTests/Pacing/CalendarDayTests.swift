import PawlCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CalendarDayTests {
    @Test func `each day is counted and found again`() {
        for days in stride(from: Int64(-800_000), to: 3_000_000, by: 97) {
            let day = CalendarDay(daysSince1970: days)
            #expect(day.daysSince1970 == days)
            #expect(CalendarDay(year: day.year, month: day.month, day: day.day) == day)
        }
    }

    @Test(
        arguments: [
            (2023, 2, 29), (1900, 2, 29), (2024, 13, 1), (2024, 0, 1), (2024, 4, 31),
        ] as [(Int64, Int64, Int64)]
    )
    func `there is no such day`(year: Int64, month: Int64, day: Int64) {
        #expect(CalendarDay(year: year, month: month, day: day) == nil)
    }
}
