import FoundationEssentials
import PawlCore
import PawlDaemon
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(1)))
struct QueuePlannerTests {
    private let now = Date(timeIntervalSince1970: 1000)

    private func entry(
        _ id: Int64,
        _ priority: DownloadPriority = .normal,
        at position: Int64? = nil,
        notBefore: Date? = nil
    ) -> QueuePlanner.Entry {
        QueuePlanner.Entry(
            id: id,
            priority: priority,
            position: position ?? id,
            notBefore: notBefore
        )
    }

    @Test func `so many at a time, the most urgent first, then by place`() {
        var planner = QueuePlanner(limit: 2)
        planner.wait(entry(1))
        planner.wait(entry(2, .low))
        planner.wait(entry(3, .high))
        planner.wait(entry(4, at: 0))
        #expect(planner.begin(at: now) == [3, 4])
        #expect(planner.begin(at: now) == [])
        planner.ended(3)
        #expect(planner.begin(at: now) == [1])
        planner.ended(4)
        planner.ended(1)
        #expect(planner.begin(at: now) == [2])
        #expect(planner.waitingCount == 0)
    }

    @Test func `none before its date, and the date is known`() {
        var planner = QueuePlanner(limit: 5)
        let later = now.addingTimeInterval(10)
        planner.wait(entry(1, .high, notBefore: later))
        planner.wait(entry(2))
        #expect(planner.begin(at: now) == [2])
        #expect(planner.nextDate == later)
        #expect(planner.begin(at: later) == [1])
        #expect(planner.nextDate == nil)
    }

    @Test func `what failed waits by a clock that nobody sets`() {
        var planner = QueuePlanner(limit: 5)
        var failed = entry(1)
        failed.waitsUntil = .seconds(30)
        planner.wait(failed)
        #expect(planner.nextTime == .seconds(30))
        #expect(planner.nextDate == nil)
        // The wall clock may say anything.
        #expect(planner.begin(at: .distantFuture, clock: .seconds(29)) == [])
        #expect(planner.begin(at: .distantPast, clock: .seconds(30)) == [1])
        failed.waitsUntil = .seconds(60)
        planner.wait(failed)
        planner.ended(1)
        planner.hurry(1)
        #expect(planner.begin(at: now, clock: .seconds(30)) == [1])
    }

    @Test func `what is asked to go on while it winds up begins after its end`() {
        var planner = QueuePlanner(limit: 2)
        planner.wait(entry(1))
        #expect(planner.begin(at: now) == [1])
        planner.wait(entry(1))
        planner.wait(entry(2))
        #expect(planner.begin(at: now) == [2])
        planner.ended(1)
        #expect(planner.begin(at: now) == [1])
    }

    @Test func `what ran before a restart goes on before others begin`() {
        var planner = QueuePlanner(limit: 1)
        planner.wait(entry(1))
        var old = entry(9)
        old.wasRunning = true
        planner.wait(old)
        #expect(planner.begin(at: now) == [9])
    }

    @Test func `what may have ended the daemon waits for all others, and begins alone`() {
        var planner = QueuePlanner(limit: 3)
        for id in [1, 2] as [Int64] {
            var suspect = entry(id, .high)
            suspect.isSuspect = true
            planner.wait(suspect)
        }
        planner.wait(entry(3, .low))
        #expect(planner.begin(at: now) == [3])
        planner.ended(3)
        #expect(planner.begin(at: now) == [1])
        planner.wait(entry(4))
        #expect(planner.begin(at: now) == [4])
        planner.ended(1)
        #expect(planner.begin(at: now) == [])
        planner.ended(4)
        #expect(planner.begin(at: now) == [2])
    }

    @Test func `a session has no more places than it says, and keeps nobody else waiting`() {
        var planner = QueuePlanner(limit: 4)
        planner.sessionLimits = ["films": 1]
        for id in 1...3 as ClosedRange<Int64> {
            var own = entry(id, .high)
            own.session = "films"
            planner.wait(own)
        }
        var other = entry(4)
        other.session = "songs"
        planner.wait(other)
        planner.wait(entry(5, .low))
        #expect(planner.begin(at: now) == [1, 4, 5])
        #expect(planner.begin(at: now) == [])
        planner.ended(1)
        #expect(planner.begin(at: now) == [2])
        planner.sessionLimits = [:]
        #expect(planner.begin(at: now) == [3])
    }

    @Test func `who leaves the line does not begin`() {
        var planner = QueuePlanner(limit: 5)
        planner.wait(entry(1))
        planner.wait(entry(2, notBefore: now))
        planner.leave(1)
        planner.leave(2)
        #expect(planner.begin(at: now) == [])
        #expect(planner.nextDate == nil)
    }

    /// Against a model that looks at all entries each time.
    @Test func `random queues begin as a plain search would`() {
        var random = TestSeed.generator("queues")
        for _ in 0..<200 {
            var planner = QueuePlanner(limit: Int.random(in: 1...4, using: &random))
            var model = Model(limit: planner.limit)
            var time = now
            for _ in 0..<120 {
                let id = Int64.random(in: 1...12, using: &random)
                switch Int.random(in: 0..<5, using: &random) {
                case 0, 1:
                    var new = entry(
                        id,
                        DownloadPriority.allCases.randomElement(using: &random) ?? .normal,
                        at: Int64.random(in: -3...3, using: &random)
                    )
                    if Bool.random(using: &random) {
                        new.notBefore = time.addingTimeInterval(
                            Double(Int.random(in: 0...9, using: &random))
                        )
                    }
                    planner.wait(new)
                    model.waiting[id] = new
                case 2:
                    planner.leave(id)
                    model.waiting[id] = nil
                case 3:
                    planner.ended(id)
                    model.running.remove(id)
                default: time.addTimeInterval(Double(Int.random(in: 0...4, using: &random)))
                }
                #expect(planner.begin(at: time) == model.begin(at: time))
                #expect(planner.running == model.running)
            }
        }
    }

    private struct Model {
        var limit: Int
        var waiting: [Int64: QueuePlanner.Entry] = [:]
        var running: Set<Int64> = []

        mutating func begin(at now: Date) -> [Int64] {
            var begun: [Int64] = []
            while running.count < limit {
                let due = waiting.values.filter { entry in
                    !running.contains(entry.id) && (entry.notBefore.map { $0 <= now } ?? true)
                }
                let next = due.min { left, right in
                    left.priority != right.priority
                        ? left.priority > right.priority
                        : (left.position, left.id) < (right.position, right.id)
                }
                guard let next else { break }
                waiting[next.id] = nil
                running.insert(next.id)
                begun.append(next.id)
            }
            return begun
        }
    }
}
