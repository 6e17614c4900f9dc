import PawlCLI
import PawlCore
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5)))
struct HookSlotsTests {
    private final class Counter: Sendable {
        private let state = Mutex((running: 0, most: 0))

        var most: Int { state.withLock { $0.most } }

        func begin() {
            state.withLock { state in
                state.running += 1
                state.most = max(state.most, state.running)
            }
        }

        func end() { state.withLock { $0.running -= 1 } }
    }

    @Test func `all jobs run, and never more than allowed at the same time`() async {
        let (slots, counter) = (HookSlots(count: 3), Counter())
        let results = await Array(0..<200).concurrentMap(atMost: 200) { _, number in
            await slots.run {
                counter.begin()
                for _ in 0..<5 { await Task.yield() }
                counter.end()
                return number
            }
        }
        #expect(results == Array(0..<200))
        #expect(counter.most <= 3)
    }

    @Test func `a job that waits does not run when its task is cancelled`() async {
        let (slots, gate, began) = (HookSlots(count: 1), Completion<Void>(), Completion<Void>())
        async let first = slots.run {
            began.complete(with: ())
            await gate.wait()
            return 1
        }
        await began.wait()
        let waiting = Task { await slots.run { 2 } }
        waiting.cancel()
        #expect(await waiting.value == nil)
        gate.complete(with: ())
        #expect(await first == 1)
        // The slot is free again.
        #expect(await slots.run { 3 } == 3)
    }
}
