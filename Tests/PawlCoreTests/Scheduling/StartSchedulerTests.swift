import FoundationEssentials
import PawlCore
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct StartSchedulerTests {
    private typealias Scheduler = StartScheduler
    private let now = Date(timeIntervalSince1970: 1_800_000_000)

    private func entry(
        _ id: Int64,
        _ priority: DownloadPriority = .normal,
        at position: Int64? = nil,
        notBefore: Date? = nil
    ) -> Scheduler.Entry {
        Scheduler.Entry(
            id: id,
            priority: priority,
            position: position ?? id,
            notBefore: notBefore
        )
    }

    private func scheduler(limit: Int, _ ids: some Sequence<Int64>) -> Scheduler {
        var scheduler = Scheduler(limit: limit)
        for id in ids { scheduler.wait(entry(id)) }
        return scheduler
    }

    @Test func `downloads start by position, up to the limit`() {
        var scheduler = scheduler(limit: 2, [3, 1, 2, 4])
        #expect(scheduler.begin() == [1, 2])
        #expect(scheduler.begin() == [])
        scheduler.ended(1)
        #expect(scheduler.begin() == [3])
        #expect(scheduler.waitingCount == 1)
        #expect(scheduler.running == [2, 3])
    }

    @Test func `downloads start by priority, even after it changes`() {
        var scheduler = Scheduler(limit: 100)
        scheduler.wait(entry(1, .low))
        scheduler.wait(entry(2))
        scheduler.wait(entry(3, .high))
        scheduler.wait(entry(4))
        scheduler.setPriority(1, .high)
        scheduler.setPriority(2, .low)
        #expect(scheduler.begin() == [1, 3, 4, 2])
    }

    @Test func `a changed entry takes its new position`() {
        var scheduler = scheduler(limit: 1, 1...3)
        scheduler.wait(entry(1, at: 9))
        #expect(scheduler.begin() == [2])
        scheduler.ended(2)
        #expect(scheduler.begin() == [3])
        scheduler.ended(3)
        #expect(scheduler.begin() == [1])
        scheduler.ended(1)
        #expect(scheduler.begin() == [], "an earlier version of the entry is ignored")
    }

    @Test func `no download starts before its date or its moment`() {
        var scheduler = Scheduler(limit: 100)
        scheduler.wait(entry(1, notBefore: now))
        var delayed = entry(2)
        delayed.waitsUntil = .zero + .seconds(5)
        scheduler.wait(delayed)
        scheduler.wait(entry(3))
        #expect(scheduler.nextDate == now)
        #expect(scheduler.nextMoment == .zero + .seconds(5))
        #expect(scheduler.begin() == [3])
        #expect(scheduler.begin(at: now) == [1])
        #expect(scheduler.nextDate == nil)
        #expect(scheduler.begin(at: now, moment: .zero + .seconds(5)) == [2])
        #expect(scheduler.nextMoment == nil)
    }

    @Test func `a delay can be ended early, a date cannot`() {
        var scheduler = Scheduler(limit: 100)
        var delayed = entry(1)
        delayed.waitsUntil = .zero + .seconds(5)
        scheduler.wait(delayed)
        scheduler.wait(entry(2, notBefore: now))
        scheduler.startNow(1)
        scheduler.startNow(2)
        #expect(scheduler.begin() == [1])
        #expect(scheduler.nextDate == now)
    }

    @Test func `a download that has left does not start`() {
        var scheduler = scheduler(limit: 100, 1...3)
        let left = [scheduler.leave(2), scheduler.leave(2)]
        #expect(left == [true, false])
        #expect(scheduler.begin() == [1, 3])
        scheduler.wait(entry(5, notBefore: now))
        scheduler.leave(5)
        #expect(scheduler.nextDate == nil)
        #expect(scheduler.isEmpty)
    }

    @Test func `a download waits until its earlier run has ended`() {
        var scheduler = scheduler(limit: 5, [1, 2])
        #expect(scheduler.begin() == [1, 2])
        scheduler.wait(entry(1))
        scheduler.wait(entry(3))
        #expect(scheduler.begin() == [3])
        scheduler.ended(1)
        #expect(scheduler.begin() == [1])
    }

    @Test func `a suspect starts after all others and runs alone`() {
        var scheduler = Scheduler(limit: 5)
        var suspect = entry(1)
        suspect.isSuspect = true
        scheduler.wait(suspect)
        scheduler.wait(entry(2))
        #expect(scheduler.begin() == [2])
        scheduler.ended(2)
        #expect(scheduler.begin() == [1])
    }

    @Test func `a download that ran before starts first within its priority`() {
        var scheduler = Scheduler(limit: 1)
        scheduler.wait(entry(1))
        var earlier = entry(2)
        earlier.wasRunning = true
        scheduler.wait(earlier)
        #expect(scheduler.begin() == [2])
    }

    @Test func `a group at its limit does not block others`() {
        var scheduler = Scheduler(limit: 4)
        scheduler.groupLimits = ["films": 1]
        for id in Int64(1)...3 {
            var member = entry(id)
            member.group = "films"
            scheduler.wait(member)
        }
        scheduler.wait(entry(4))
        #expect(scheduler.begin() == [1, 4])
        scheduler.ended(1)
        #expect(scheduler.begin() == [2])
        scheduler.groupLimits = ["films": 2]
        #expect(scheduler.begin() == [3])
    }

    @Test func `groups whose names only look the same have limits of their own`() {
        var scheduler = Scheduler(limit: 4)
        scheduler.groupLimits = ["e\u{301}": 1]
        for id in Int64(1)...3 {
            var member = entry(id)
            member.group = "\u{E9}"
            scheduler.wait(member)
        }
        #expect(scheduler.begin() == [1, 2, 3])
    }

    @Test func `a lent slot lets another download start, and may be taken back`() {
        var scheduler = scheduler(limit: 1, 1...4)
        #expect(scheduler.begin() == [1])
        let lends = scheduler.lend(1)
        #expect(lends)
        #expect(scheduler.begin() == [2])
        scheduler.takeBack(1)
        #expect(scheduler.slotsTaken == 2)
        scheduler.ended(2)
        #expect(scheduler.begin() == [])
        scheduler.ended(1)
        #expect(scheduler.begin() == [3])
    }

    @Test func `up to 100 downloads lend their slots`() {
        let most = Int64(Scheduler.mostLent)
        var scheduler = scheduler(limit: 1, 0...most + 1)
        for id in 0..<most {
            #expect(scheduler.begin() == [id])
            let lends = scheduler.lend(id)
            #expect(lends)
        }
        #expect(scheduler.begin() == [most])
        let lends = scheduler.lend(most)
        #expect(!lends)
        #expect(scheduler.begin() == [])
    }

    @Test func `a free slot of a group is not lost with the download that should take it`() {
        var scheduler = Scheduler(limit: 2)
        scheduler.groupLimits = ["a": 1]
        for id in Int64(1)...3 {
            var new = entry(id)
            new.group = "a"
            scheduler.wait(new)
        }
        #expect(scheduler.begin() == [1])
        scheduler.ended(1)
        scheduler.leave(2)
        #expect(scheduler.begin() == [3])
    }

    /// Compares the scheduler with a model that searches all entries each time.
    @Test func `random entries start as a linear search finds them`() {
        var random = TestSeed.generator("scheduler")
        for _ in 0..<200 {
            var scheduler = Scheduler(limit: Int.random(in: 1...4, using: &random))
            scheduler.groupLimits = ["a": 1, "b": 2]
            var model = Model(limit: scheduler.limit, groupLimits: scheduler.groupLimits)
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
                        let wait = Double(Int.random(in: 0...9, using: &random))
                        new.notBefore = time.addingTimeInterval(wait)
                    }
                    new.group = [nil, "a", "b"].randomElement(using: &random) ?? nil
                    new.isSuspect = Int.random(in: 0..<8, using: &random) == 0
                    scheduler.wait(new)
                    model.waiting[id] = new
                case 2:
                    scheduler.leave(id)
                    model.waiting[id] = nil
                case 3:
                    scheduler.ended(id)
                    model.running[id] = nil
                default: time.addTimeInterval(Double(Int.random(in: 0...4, using: &random)))
                }
                #expect(scheduler.begin(at: time) == model.begin(at: time))
                #expect(scheduler.running == Set(model.running.keys))
                #expect(scheduler.waitingCount == model.waiting.count)
            }
        }
    }

    private struct Model {
        var limit: Int
        var groupLimits: [ExactText: Int]
        var waiting: [Int64: Scheduler.Entry] = [:]
        var running: [Int64: ExactText?] = [:]

        private func hasRoom(_ group: ExactText?) -> Bool {
            guard let group, let limit = groupLimits[group] else { return true }
            return running.values.count { $0 == group } < limit
        }

        mutating func begin(at now: Date) -> [Int64] {
            var begun: [Int64] = []
            while running.count < limit {
                let due = waiting.values.filter { entry in
                    running[entry.id] == nil && hasRoom(entry.group)
                        && (entry.notBefore.map { $0 <= now } ?? true)
                }
                let next = due.min { left, right in
                    if left.isSuspect != right.isSuspect { return right.isSuspect }
                    return left.priority != right.priority
                        ? left.priority > right.priority
                        : (left.position, left.id) < (right.position, right.id)
                }
                guard let next, !next.isSuspect || running.isEmpty else { break }
                waiting[next.id] = nil
                running[next.id] = .some(next.group)
                begun.append(next.id)
            }
            return begun
        }
    }

    @Test func `moving entries repeatedly uses no more memory`() {
        var scheduler = scheduler(limit: 1, 1...100)
        for round in 1...100 {
            for id in Int64(1)...100 { scheduler.wait(entry(id, at: id * Int64(round))) }
        }
        #expect(scheduler.keyCount <= 300)
        #expect(scheduler.begin() == [1])
        #expect(scheduler.waitingCount == 99)
    }
}
