import FoundationEssentials
import PawlCore
import Testing

/// Servers that serve some connections and refuse the rest.
@Suite(.timeLimit(.minutes(1)))
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

    /// Eight connections, the first of which is answered.
    private func begun() throws -> PlannerRun {
        var run = PlannerRun(settings(8), of: pinned)
        run.answerAsAsked(try #require(run.newest), total: Self.total)
        #expect(run.running.count == 8)
        return run
    }

    @Test(arguments: 1...6)
    func `those that are served stay, and as many as were served are kept`(served: Int) throws {
        var run = try begun()
        // The good answers come last: at the first refusal only one connection is served.
        for order in run.opened[(served + 1)...] { run.answer(order.id, Self.refusal) }
        for order in run.opened[1...served] { run.answerAsAsked(order, total: Self.total) }
        #expect(run.closed.isEmpty)
        #expect(run.running.count == served + 1)
        // One that is done is followed by another.
        run.pass(.seconds(1), samples(run))
        let done = try #require(run.running.first)
        let end = try #require(run.opened.map(\.start).filter { $0 > done.start }.min())
        run.end(done.id, at: end, .stopped)
        #expect(run.running.count == served + 1)
        #expect(run.closed.isEmpty)
    }

    @Test func `nothing is opened while a burst is being answered`() throws {
        var run = try begun()
        for order in run.opened[5...] { run.answer(order.id, Self.refusal) }
        run.pass(.seconds(1), samples(run))
        #expect(run.opened.count == 8)
    }

    @Test func `after a rest one more is tried, and its refusal closes none`() throws {
        var run = try begun()
        for order in run.opened[1...3] { run.answerAsAsked(order, total: Self.total) }
        for order in run.opened[4...] { run.answer(order.id, Self.refusal) }
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

    /// Ends one that is served; true if another follows it.
    private func isFollowed(_ run: inout PlannerRun) throws -> Bool {
        run.pass(.seconds(1), samples(run))
        let (done, count) = (try #require(run.running.first), run.opened.count)
        let end = try #require(run.opened.map(\.start).filter { $0 > done.start }.min())
        run.end(done.id, at: end, .stopped)
        return run.opened.count > count
    }

    @Test func `Retry-After of a surplus connection keeps more from being tried, and no others`()
        throws
    {
        var run = try begun()
        for order in run.opened[1...2] { run.answerAsAsked(order, total: Self.total) }
        let refusal = ResponseHead(429, ["Retry-After": "20"])
        for order in run.opened[3...] { run.answer(order.id, refusal) }
        #expect(run.backedOff.isEmpty, "other downloads of the host are stopped")
        #expect(try isFollowed(&run))
        run.answerAsAsked(try #require(run.newest), total: Self.total)
        let count = run.opened.count
        for _ in 0..<180 { run.pass(.milliseconds(100), samples(run)) }
        #expect(run.opened.count == count)
        for _ in 0..<11 { run.pass(.milliseconds(100), samples(run)) }
        #expect(run.opened.count == count + 1)
    }

    @Test func `a 416 to a surplus connection ends none of those that are served`() throws {
        var run = try begun()
        for order in run.opened[1...2] { run.answerAsAsked(order, total: Self.total) }
        let place = "bytes */\(Self.total)"
        for order in run.opened[3...] {
            run.answer(order.id, ResponseHead(416, ["Content-Range": place]))
        }
        #expect(run.closed.isEmpty)
        #expect(run.error == nil)
        #expect(try isFollowed(&run))
        #expect(run.newest?.range != nil)
    }

    /// Like a server with one worker: what is opened after the first connection waits in its backlog.
    @Test func `a connection continues into the bytes of one that is not answered`() throws {
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
        #expect(run.ends[second.id]?.end == second.start, "it writes nothing any more")
    }

    /// A second that was opened so late that twice the usual latency is not over.
    @Test func `right before its end a connection continues if the answer is late at all`() throws {
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

    @Test func `a free connection takes over the bytes of one that is not answered`() throws {
        var run = try begun()
        let unanswered = run.opened[2]
        for order in run.opened[1...] where order.id != unanswered.id {
            run.answerAsAsked(order, total: Self.total)
        }
        // The others are slow enough not to let it be called slow.
        for _ in 0..<21 { run.pass(.milliseconds(100)) }
        let done = try #require(run.opened.last)
        run.end(done.id, at: done.end, .stopped)
        let next = try #require(run.newest)
        #expect(next.start == unanswered.start)
        #expect(run.closed == [unanswered.id])
    }

    @Test func `after an outage as many are opened as before`() throws {
        var run = try begun()
        for order in run.opened.dropFirst() { run.answerAsAsked(order, total: Self.total) }
        run.pass(.milliseconds(200), samples(run))
        // They break one after the other, and what is opened in their place is refused at once.
        for order in run.running {
            let broken = TransferFailure(.connectionLost, "reset")
            run.end(order.id, at: order.start + 2000, .failed(broken))
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
            for order in run.running where order.id.number > 8 {
                run.answerAsAsked(order, total: Self.total)
            }
        }
        #expect(run.running.count == 8, "\(run.log)")
    }

    /// All connections have received 10,000 bytes per second since the beginning.
    private func samples(_ run: PlannerRun) -> [TransferSample] {
        let received = 1000 + Int64((run.now - .zero).seconds * 10_000)
        return run.running.map { TransferSample(id: $0.id, offset: $0.start + received) }
    }
}
