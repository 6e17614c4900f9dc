import PawlCore
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ManualTimekeeperTests {
    let clock = ManualTimekeeper()

    @Test func `manual time moves only when told, and never backwards`() {
        #expect(clock.now() == .zero)
        clock.advance(by: .seconds(2))
        clock.advance(to: Moment(nanoseconds: 5))
        #expect(clock.now() == Moment(nanoseconds: 2_000_000_000))
    }

    @Test func `sleepers wake at their deadline and not before`() async throws {
        let woken = Observed<[Int]>([])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for second in [3, 1, 2] {
                group.addTask { [clock, woken] in
                    try await clock.sleep(until: .zero + .seconds(second))
                    woken.update { $0.append(second) }
                }
            }
            await clock.waitForSleepers(3)
            #expect(clock.nextDeadline == .zero + .seconds(1))
            clock.advance(by: .milliseconds(999))
            #expect(clock.sleeperCount == 3)
            for expected in [[1], [1, 2], [1, 2, 3]] {
                clock.advanceToNextDeadline()
                try await group.next()
                #expect(woken.value == expected)
            }
        }
        #expect(clock.nextDeadline == nil)
        #expect(clock.advanceToNextDeadline() == nil)
    }

    @Test func `a deadline that has passed does not wait`() async throws {
        clock.advance(by: .seconds(1))
        try await clock.sleep(until: .zero)
        try await clock.sleep(until: clock.now())
    }

    @Test func `a cancelled sleeper throws, whenever it was cancelled`() async {
        for cancelsEarly in [true, false] {
            let sleeper = Task { [clock] in try await clock.sleep(until: .distantFuture) }
            if !cancelsEarly { await clock.waitForSleeper(until: .distantFuture) }
            sleeper.cancel()
            await #expect(throws: CancellationError.self) { try await sleeper.value }
            #expect(clock.sleeperCount == 0)
        }
    }
}
