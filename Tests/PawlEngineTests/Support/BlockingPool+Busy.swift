import PawlStorage
import PawlTesting

extension BlockingPool {
    /// Occupies `count` threads until the gate lets each of them continue.
    func keepBusy(threads count: Int, _ gate: Gate) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<count { group.addTask { try await self.run { gate.wait() } } }
            try await group.waitForAll()
        }
    }

    /// Waits until the pool has `count` threads.
    func waitForThreads(_ count: Int) async {
        while threadCount < count, !Task.isCancelled { await Task.yield() }
    }
}
