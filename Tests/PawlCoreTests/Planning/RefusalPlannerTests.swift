import FoundationEssentials
import PawlCore
import Testing

/// Tests with servers that serve some connections and refuse the others.
@Suite(.timeLimit(.minutes(5)))
struct RefusalPlannerTests {
    private static let total: Int64 = 64 << 20
    private static let refusal = ResponseHead(503, [:])

    private func settings(_ connections: Int) -> DownloadSettings {
        var settings = DownloadSettings()
        settings.connections = .fixed(connections)
        return settings
    }

    private var pinned: Representation {
        var pinned = Representation(total: Self.total)
        pinned.entityTag = EntityTag(isWeak: false, opaque: "\"a\"")
        return pinned
    }

    /// Returns a run with eight connections, the first of which is answered.
    private func begun() throws -> PlannerRun {
        var run = PlannerRun(settings(8), of: pinned)
        run.answerAsAsked(try #require(run.newest), total: Self.total)
        #expect(run.running.count == 8)
        return run
    }

    @Test(arguments: 1...6)
    func `served connections stay, and the planner keeps their number`(served: Int) throws {
        var run = try begun()
        // The successes come last: at the first refusal the server serves only one connection.
        for planned in run.opened[(served + 1)...] { run.answer(planned.id, Self.refusal) }
        for planned in run.opened[1...served] { run.answerAsAsked(planned, total: Self.total) }
        #expect(run.closed.isEmpty)
        #expect(run.running.count == served + 1)
        // Another connection follows one that is finished.
        run.pass(.seconds(1), samples(run))
        let done = try #require(run.running.first)
        let end = try #require(run.opened.map(\.start).filter { $0 > done.start }.min())
        run.end(done.id, at: end, .stopped)
        #expect(run.running.count == served + 1)
        #expect(run.closed.isEmpty)
    }

    @Test func `the planner opens no connection while a burst awaits its answers`() throws {
        var run = try begun()
        for planned in run.opened[5...] { run.answer(planned.id, Self.refusal) }
        run.pass(.seconds(1), samples(run))
        #expect(run.opened.count == 8)
    }

    @Test func `after a rest one more connection is tried, and its refusal closes none`() throws {
        var run = try begun()
        for planned in run.opened[1...3] { run.answerAsAsked(planned, total: Self.total) }
        for planned in run.opened[4...] { run.answer(planned.id, Self.refusal) }
        #expect(run.running.count == 4)
        for _ in 0..<49 { run.pass(.milliseconds(100), samples(run)) }
        #expect(run.opened.count == 8)
        run.pass(.milliseconds(100), samples(run))
        #expect(run.opened.count == 9)
        run.answer(try #require(run.newest).id, Self.refusal)
        #expect(run.running.count == 4)
        #expect(run.closed.isEmpty)
        for _ in 0..<99 { run.pass(.milliseconds(100), samples(run)) }
        #expect(run.opened.count == 9)
        run.pass(.milliseconds(100), samples(run))
        #expect(run.opened.count == 10)
    }

    /// Ends a served connection and returns whether another connection follows it.
    private func isFollowed(_ run: inout PlannerRun) throws -> Bool {
        run.pass(.seconds(1), samples(run))
        let (done, count) = (try #require(run.running.first), run.opened.count)
        let end = try #require(run.opened.map(\.start).filter { $0 > done.start }.min())
        run.end(done.id, at: end, .stopped)
        return run.opened.count > count
    }

    @Test func `Retry-After on a surplus connection delays attempts but not replacements`()
        throws
    {
        var run = try begun()
        for planned in run.opened[1...2] { run.answerAsAsked(planned, total: Self.total) }
        let refusal = ResponseHead(429, ["Retry-After": "20"])
        for planned in run.opened[3...] { run.answer(planned.id, refusal) }
        #expect(run.backedOff.isEmpty, "the refusal stops other downloads from the host")
        #expect(try isFollowed(&run))
        run.answerAsAsked(try #require(run.newest), total: Self.total)
        let count = run.opened.count
        for _ in 0..<180 { run.pass(.milliseconds(100), samples(run)) }
        #expect(run.opened.count == count)
        for _ in 0..<11 { run.pass(.milliseconds(100), samples(run)) }
        #expect(run.opened.count == count + 1)
    }

    @Test func `a 416 on a surplus connection closes no served connection`() throws {
        var run = try begun()
        for planned in run.opened[1...2] { run.answerAsAsked(planned, total: Self.total) }
        let contentRange = "bytes */\(Self.total)"
        for planned in run.opened[3...] {
            run.answer(planned.id, ResponseHead(416, ["Content-Range": contentRange]))
        }
        #expect(run.closed.isEmpty)
        #expect(run.error == nil)
        #expect(try isFollowed(&run))
        #expect(run.newest?.range != nil)
    }

    /// The server has one worker, so connections after the first wait in its backlog.
    @Test func `a connection continues into the range of an unanswered connection`() throws {
        var run = PlannerRun(settings(2), of: pinned)
        let first = try #require(run.newest)
        run.answerAsAsked(first, total: Self.total)
        let second = try #require(run.newest)
        #expect(second.id != first.id)
        for tenth in 1...10 {
            let offset = Int64(tenth) * second.start / 11
            run.pass(.milliseconds(200), TransferSample(id: first.id, offset: offset))
        }
        #expect(run.closed == [second.id])
        #expect(run.ends[first.id]?.end == Self.total)
        #expect(run.ends[second.id]?.end == second.start, "the closed transfer writes nothing more")
    }

    /// The second connection opens so late that twice the usual latency has not passed.
    @Test func `a connection near its end continues if the next answer is late`() throws {
        var run = PlannerRun(settings(2), of: pinned)
        let first = try #require(run.newest)
        run.pass(.milliseconds(300))
        run.answerAsAsked(first, total: Self.total)
        let second = try #require(run.newest)
        for twentieth in 1...10 {
            let offset = Int64(twentieth) * second.start / 11
            run.pass(.milliseconds(50), TransferSample(id: first.id, offset: offset))
        }
        #expect(run.closed == [second.id])
        #expect(run.ends[first.id]?.end == Self.total)
    }

    @Test func `a free connection takes over the range of an unanswered connection`() throws {
        var run = try begun()
        let unanswered = run.opened[2]
        for planned in run.opened[1...] where planned.id != unanswered.id {
            run.answerAsAsked(planned, total: Self.total)
        }
        // The other connections are slow enough that the unanswered one does not count as slow.
        for _ in 0..<21 { run.pass(.milliseconds(100)) }
        let done = try #require(run.opened.last)
        run.end(done.id, at: done.end, .stopped)
        let next = try #require(run.newest)
        #expect(next.start == unanswered.start)
        #expect(run.closed == [unanswered.id])
    }

    @Test func `the planner opens as many connections after an outage as before`() throws {
        var run = try begun()
        for planned in run.opened.dropFirst() { run.answerAsAsked(planned, total: Self.total) }
        run.pass(.milliseconds(200), samples(run))
        // The connections break one after the other, and each replacement is refused at once.
        for planned in run.running {
            let broken = TransferFailure(.connectionLost, "reset")
            run.end(planned.id, at: planned.start + 2000, .failed(broken))
            while let next = run.running.first(where: { $0.id.number > 8 }) {
                run.end(
                    next.id,
                    at: next.start,
                    .failed(TransferFailure(.cannotConnect, "refused"))
                )
            }
        }
        #expect(run.running.isEmpty)
        run.waitToRetry()
        run.answerAsAsked(try #require(run.running.first), total: Self.total)
        for _ in 0..<8 {
            run.pass(.milliseconds(50), samples(run))
            for planned in run.running where planned.id.number > 8 {
                run.answerAsAsked(planned, total: Self.total)
            }
        }
        #expect(run.running.count == 8, "\(run.log)")
    }

    /// Returns samples in which each connection has received 10,000 bytes per second from the
    /// start.
    private func samples(_ run: PlannerRun) -> [TransferSample] {
        let received = 1000 + Int64((run.now - .zero).seconds * 10_000)
        return run.running.map { TransferSample(id: $0.id, offset: $0.start + received) }
    }
}
