import PawlStorage
import PawlTesting

extension BlockingPool {
    /// Occupies so many threads until the gate lets each of them go on.
    func keepBusy(threads count: Int, _ gate: Gate) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<count { group.addTask { try await self.run { gate.wait() } } }
            try await group.waitForAll()
        }
    }

    /// Waits until it has so many threads.
    func waitForThreads(_ count: Int) async {
        while threadCount < count, !Task.isCancelled { await Task.yield() }
    }
}
