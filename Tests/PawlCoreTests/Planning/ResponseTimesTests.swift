import PawlCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ResponseTimesTests {
    @Test func `a late tick makes no response late`() {
        let planned = PlannedTransfer(
            id: TransferID(1),
            url: PlannerRun.url,
            range: nil,
            pinned: nil,
            start: 0,
            end: 1_000
        )
        var segment = Segment(planned: planned, host: "origin.example", openedAt: .zero)
        var times = ResponseTimes()
        segment.connectTime = .milliseconds(2)
        times.received(segment, after: .milliseconds(200), untilHead: .milliseconds(5))
        #expect(times.delay(of: 0) == .milliseconds(5))
        times.responseEnded(from: 0)
        #expect(times.delay(of: 0) == .milliseconds(3))
        segment.connectTime = nil
        times.received(segment, after: .milliseconds(200), untilHead: .milliseconds(3))
        #expect(times.delay(of: 0) == .milliseconds(3))
    }
}
