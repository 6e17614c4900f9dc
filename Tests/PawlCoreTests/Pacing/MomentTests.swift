import PawlCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct MomentTests {
    @Test(
        arguments: [
            (Duration.seconds(1), 1_000_000_000),
            (.zero, 0),
            (.milliseconds(-5), -5_000_000),
            (.seconds(Int64.max), .max),
            (.seconds(Int64.min), .min),
            (.seconds(9_223_372_036) + .milliseconds(900), .max),
            (.seconds(-9_223_372_036) - .milliseconds(900), .min),
        ] as [(Duration, Int64)]
    )
    func `nanoseconds saturate`(duration: Duration, expected: Int64) {
        #expect(duration.nanoseconds == expected)
    }

    @Test func `a moment beyond the range is the distant future`() {
        #expect(Moment.zero + .seconds(Int64.max) == .distantFuture)
    }
}
