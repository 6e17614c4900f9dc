import PawlCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ResponseTimesTests {
    @Test func `a late tick makes no response late`() {
        let order = TransferOrder(
            id: TransferID(1),
            url: PlannerRun.url,
            range: nil,
            pinned: nil,
            start: 0,
            end: 1_000
        )
        let segment = Segment(order: order, host: "origin.example", openedAt: .zero)
        var times = ResponseTimes()
        times.received(segment, after: .milliseconds(200), head: .milliseconds(5))
        #expect(times.delay(of: 0) == .milliseconds(200))
        times.responseEnded(from: 0)
        #expect(times.delay(of: 0) == .milliseconds(5))
    }
}
