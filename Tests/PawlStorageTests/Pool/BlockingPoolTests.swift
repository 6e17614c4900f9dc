import Glibc
import PawlCore
import PawlStorage
import Synchronization
import SystemPackage
import Testing

@Suite(.timeLimit(.minutes(5)))
struct BlockingPoolTests {
    @Test func `a pool starts no thread before there is work`() async throws {
        let pool = BlockingPool(threads: 4, name: "test", idleTime: .seconds(600))
        #expect(pool.threadCount == 0)
        #expect(try await pool.run { 42 } == 42)
        #expect(pool.threadCount == 1)
    }

    @Test func `threads without work end, and start again when there is some`() async throws {
        let pool = BlockingPool(threads: 2, name: "test", idleTime: .milliseconds(20))
        for number in 1...3 {
            #expect(try await pool.run { number } == number)
            while pool.threadCount > 0, !Task.isCancelled { await Task.yield() }
            #expect(pool.threadCount == 0)
        }
    }

    @Test func `an error is rethrown as it was thrown`() async {
        let pool = BlockingPool(threads: 1, name: "test")
        await #expect(throws: DownloadError.self) {
            try await pool.run { () throws(DownloadError) in
                throw DownloadError(.diskFull, "full")
            }
        }
    }

    @Test func `up to the limit of jobs run at once`() async throws {
        let pool = BlockingPool(threads: 3, name: "test")
        let running = Gauge()
        let barrier = Barrier(3)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<12 {
                group.addTask {
                    try await pool.run {
                        running.enter()
                        barrier.wait()
                        running.leave()
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(running.most == 3)
        #expect(pool.threadCount == 3)
    }

    @Test func `thousands of jobs are all completed`() async throws {
        let pool = BlockingPool(threads: 2, name: "test")
        let sum = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<5_000 { group.addTask { try await pool.run { number } } }
            return try await group.reduce(0, +)
        }
        #expect(sum == 5_000 * 4_999 / 2)
    }

    @Test func `work before the shutdown is completed, and later work refused`() async throws {
        let pool = BlockingPool(threads: 1, name: "test")
        let begun = Barrier(2)
        let released = Barrier(2)
        async let first = pool.run {
            begun.wait()
            released.wait()
            return 1
        }
        await Task.detached { begun.wait() }.value
        pool.shutDown()
        await #expect(throws: DownloadError.self) { try await pool.run { 2 } }
        await Task.detached { released.wait() }.value
        #expect(try await first == 1)
    }

    @Test func `without threads, jobs run one after the other on the caller's thread`() {
        let pool = BlockingPool(threads: 4, name: "test") { _, _ in false }
        let count = Mutex(0)
        let depth = Mutex(0)
        @Sendable func startNext(_ refusal: DownloadError?) {
            depth.withLock { $0 += 1 }
            #expect(depth.withLock { $0 } == 1)
            let isLast = count.withLock { count in
                count += 1
                return count == 50_000
            }
            if !isLast { pool.start(startNext) }
            depth.withLock { $0 -= 1 }
        }
        pool.start(startNext)
        #expect(count.withLock { $0 } == 50_000)
        #expect(pool.threadCount == 0)
    }

    @Test func `a thread has the pool's name`() async throws {
        let pool = BlockingPool(threads: 1, name: "pawl disk")
        let name = try await pool.run {
            (try? readBytes("/proc/thread-self/comm")).map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(name == "pawl disk\n")
    }
}

/// The number of tasks inside, and its maximum so far.
private final class Gauge: Sendable {
    private let counts = Mutex((now: 0, most: 0))

    var most: Int { counts.withLock { $0.most } }

    func enter() {
        counts.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
    }

    func leave() {
        counts.withLock { $0.now -= 1 }
    }
}

/// Lets a fixed number of threads through at a time, and only together.
///
/// `@unchecked Sendable`: the pthread barrier is made for several threads, at its own address.
private final class Barrier: @unchecked Sendable {
    private let barrier = UnsafeMutablePointer<pthread_barrier_t>.allocate(capacity: 1)

    init(_ count: UInt32) { pthread_barrier_init(barrier, nil, count) }

    deinit {
        pthread_barrier_destroy(barrier)
        barrier.deallocate()
    }

    func wait() { pthread_barrier_wait(barrier) }
}
