import FoundationEssentials
import PawlCore
import Testing

/// Several sources of one download: which is asked, which is left.
@Suite(.timeLimit(.minutes(1)))
struct MirrorPlannerTests {
    private static let total: Int64 = 64 << 20
    private static let tag = "\"a\""
    private static let mirror = URL(string: "http://mirror.example/disk.iso") ?? URL(filePath: "/")

    private func settings(_ connections: Int) -> DownloadSettings {
        var settings = DownloadSettings()
        settings.connections = .fixed(connections)
        settings.retries = 2
        return settings
    }

    private var pinned: Representation {
        var pinned = Representation(total: Self.total)
        pinned.entityTag = EntityTag(isWeak: false, opaque: Self.tag)
        return pinned
    }

    private func run(_ connections: Int, have: RangeSet = RangeSet(), from source: String? = nil)
        -> PlannerRun
    {
        PlannerRun(
            settings(connections),
            mirrors: [Self.mirror],
            have: have,
            of: pinned,
            from: source
        )
    }

    private func whole(tag: String? = tag, total: Int64 = total) -> ResponseHead {
        ResponseHead(200, ["Content-Length": "\(total)", "Accept-Ranges": "bytes"])
            .with("ETag", tag)
    }

    private func part(
        _ order: TransferOrder,
        tag: String? = tag,
        total: Int64 = total
    ) -> ResponseHead {
        let range = order.range ?? ByteRange(0, total)
        let place = "bytes \(range.start)-\(min(range.end, total) - 1)/\(total)"
        return ResponseHead(206, ["Content-Range": place]).with("ETag", tag)
    }

    private func hosts(_ orders: some Sequence<TransferOrder>) -> [String] {
        orders.map { $0.url.host() ?? "" }
    }

    /// Begins, lets the first source answer, and the mirror with that head.
    private func begun(_ connections: Int, tag: String? = tag, total: Int64 = total) throws
        -> PlannerRun
    {
        var run = run(connections)
        run.answer(try #require(run.newest).id, whole())
        let mirror = try #require(run.opened.first { $0.source == 1 })
        run.answer(mirror.id, part(mirror, tag: tag, total: total))
        return run
    }

    /// All that run bring so many bytes a second for a while, by source.
    private func flow(_ run: inout PlannerRun, _ speeds: [Int64], tenths: Int64 = 10) {
        let orders = run.opened
        for tenth in 1...tenths {
            let samples = orders.map { order in
                let came = speeds[order.source] * tenth / 10
                return TransferSample(id: order.id, offset: min(order.end, order.start + came))
            }
            run.pass(.milliseconds(100), samples)
        }
    }

    @Test func `the one that was asked for comes first, a mirror as soon as there is a second`()
        throws
    {
        var run = run(2)
        #expect(hosts(run.opened) == ["origin.example"])
        run.answer(try #require(run.newest).id, whole())
        #expect(hosts(run.opened) == ["origin.example", "mirror.example"])
        #expect(run.opened[1].proof == .sameFile(digest: nil))
    }

    @Test func `one connection asks a mirror, and more when it has proven itself`() throws {
        var run = run(8)
        run.answer(try #require(run.newest).id, whole())
        // Half for each, while one is still to be measured.
        #expect(hosts(run.opened).count { $0 == "origin.example" } == 4)
        #expect(hosts(run.opened).count { $0 == "mirror.example" } == 1)
        let mirror = try #require(run.opened.first { $0.source == 1 })
        run.answer(mirror.id, part(mirror))
        #expect(hosts(run.opened).count { $0 == "mirror.example" } == 4)
        #expect(run.opened.last?.proof == .unchanged)
    }

    @Test(arguments: [("\"b\"", total), (tag, total - 1), (nil, total)])
    func `a mirror that proves nothing is left, and the first source goes on alone`(
        tag: String?,
        total: Int64
    ) throws {
        let run = try begun(4, tag: tag, total: total)
        #expect(run.log.contains { $0.contains("mirror.example:80 is not used") })
        #expect(hosts(run.opened.suffix(3)).allSatisfy { $0 == "origin.example" })
        #expect(run.error == nil)
    }

    @Test func `a new connection goes where most is to be had`() throws {
        var run = try begun(2)
        flow(&run, [8 << 20, 1 << 20], tenths: 20)
        let first = run.opened[0]
        run.end(first.id, at: 16 << 20, .stopped)
        #expect(run.newest?.source == 0)
        // One that has slowed down is not asked again.
        var other = try begun(2)
        flow(&other, [1 << 10, 4 << 20], tenths: 15)
        other.end(other.opened[0].id, at: 1 << 20, .stopped)
        #expect(other.newest?.source == 1)
    }

    @Test(arguments: [(Int64(4), 1), (1, 0)])
    func `an idle source is asked before a faster one gets a second connection, unless it crawls`(
        mebibytes: Int64,
        source: Int
    ) throws {
        var run = try begun(2)
        flow(&run, [16 << 20, mebibytes << 20])
        let mirror = run.opened[1]
        run.end(mirror.id, at: mirror.start + mebibytes << 20, .stopped)
        #expect(run.newest?.source == source)
    }

    @Test func `a source that turned slow is not asked again at once`() throws {
        var run = try begun(8)
        let answered = [run.opened[0].id, run.opened.first { $0.source == 1 }?.id]
        for order in run.running where !answered.contains(order.id) {
            run.answer(order.id, part(order))
        }
        var offsets: [TransferID: Int64] = [:]
        for tenth in 1...40 where run.closed.isEmpty {
            for order in run.running {
                let speed: Int64 = order.source == 0 && tenth > 10 ? 8 << 10 : 1 << 20
                offsets[order.id, default: order.start] += speed / 10
            }
            run.pass(
                .milliseconds(100),
                offsets.map { TransferSample(id: $0.key, offset: $0.value) }
            )
        }
        #expect(run.closed.count == 4)
        for id in run.closed { run.end(id, at: offsets[id] ?? 0, .cancelled) }
        #expect(run.opened.count == 12)
        #expect(run.opened.suffix(4).allSatisfy { $0.source == 1 })
    }

    @Test func `before any speed is known new connections get equal parts`() throws {
        let run = try begun(8)
        #expect(run.opened.count == 8)
        #expect(run.opened.allSatisfy { $0.end - $0.start >= Self.total / 16 })
    }

    @Test func `a crawling source is replaced by another`() throws {
        var run = try begun(2)
        flow(&run, [1 << 10, 4 << 20], tenths: 25)
        #expect(run.closed == [run.opened[0].id])
        run.end(run.opened[0].id, at: 2500, .cancelled)
        #expect(run.newest?.source == 1)
    }

    @Test func `what a dead source had to bring the other one brings, and it is asked again later`()
        throws
    {
        var run = try begun(2)
        flow(&run, [1 << 20, 1 << 20])
        let lost = TransferOutcome.failed(TransferFailure(.connectionLost, "reset"))
        run.end(run.opened[0].id, at: 1 << 20, lost)
        #expect(run.newest?.source == 1, "not the same one at once")
        #expect(run.opened.count == 3)
        for _ in 1...2 {
            run.pass(.seconds(1))
            let free = try #require(run.newest)
            run.end(free.id, at: free.start + 1000, .stopped)
            let again = try #require(run.newest)
            #expect(again.source == 0)
            run.end(again.id, at: again.start, lost)
            #expect(run.newest?.source == 1)
        }
        #expect(run.log.contains { $0.contains("going on with the other sources") })
        #expect(run.error == nil)
    }

    @Test func `a refusal for good ends one source, and the download when it was the last`() throws
    {
        var run = run(2)
        run.answer(try #require(run.newest).id, ResponseHead(404, [:]))
        #expect(run.newest?.source == 1)
        #expect(run.newest?.pinned == nil, "what it says is pinned")
        run.answer(try #require(run.newest).id, ResponseHead(403, [:]))
        #expect(run.error?.code == .notFound)
        #expect(run.error?.context == "trying 2 sources, all of which failed")
    }

    @Test func `the error that gives most hope is the download's`() throws {
        var run = run(1)
        run.answer(try #require(run.newest).id, ResponseHead(404, [:]))
        for _ in 1...3 {
            run.answer(try #require(run.newest).id, ResponseHead(503, [:]))
            run.waitToRetry()
        }
        #expect(run.error?.code == .serverBusy)
        #expect(run.opened.count == 4)
    }

    @Test func `a source that does not answer is left for one that may, and given more time`()
        throws
    {
        var run = run(1)
        run.pass(.milliseconds(2900))
        #expect(run.closed.isEmpty)
        run.pass(.milliseconds(200))
        #expect(run.closed == [TransferID(1)])
        run.end(TransferID(1), at: 0, .cancelled)
        #expect(run.newest?.source == 1)
        run.pass(.milliseconds(3100))
        run.end(try #require(run.newest).id, at: 0, .cancelled)
        run.waitToRetry()
        #expect(run.newest?.source == 0)
        run.pass(.seconds(5))
        #expect(run.closed.count == 2)
    }

    @Test func `on resume the source of the bytes says whether the file changed`() throws {
        let have = RangeSet(ByteRange(0, 1 << 20))
        var run = run(1, have: have, from: PlannerRun.url.absoluteString)
        let first = try #require(run.newest)
        #expect(first.proof == .unchanged)
        run.answer(first.id, part(first, tag: "\"b\""))
        #expect(run.log.contains { $0.contains("changed on the server") })
        #expect(run.newest?.pinned == nil)
    }

    @Test func `on resume another source is to prove itself, and is left where it does not`() throws
    {
        let have = RangeSet(ByteRange(0, 1 << 20))
        var run = run(1, have: have, from: Self.mirror.absoluteString)
        let first = try #require(run.newest)
        #expect(first.proof == .sameFile(digest: nil))
        run.answer(first.id, part(first, tag: "\"b\""))
        let second = try #require(run.newest)
        #expect(second.source == 1)
        #expect(second.proof == .unchanged)
        #expect(second.start == 1 << 20)
    }

    @Test func `where no source has what was begun it is fetched anew`() throws {
        let have = RangeSet(ByteRange(0, 1 << 20))
        var run = run(1, have: have, from: "http://former.example/disk.iso")
        for _ in 1...2 {
            let order = try #require(run.newest)
            run.answer(order.id, part(order, tag: "\"b\""))
        }
        #expect(run.log.contains { $0.contains("starting over") })
        let third = try #require(run.newest)
        #expect(third.pinned == nil)
        #expect(third.source == 0)
        run.answer(third.id, whole(tag: "\"b\""))
        #expect(run.planner.representation?.entityTag?.opaque == "\"b\"")
        #expect(run.error == nil)
    }

    @Test func `a mirror whose file changes is asked for proof once more and then left`() throws {
        var run = try begun(2)
        flow(&run, [1 << 20, 1 << 20])
        for _ in 1...2 {
            let mirror = try #require(run.opened.last { $0.source == 1 })
            run.end(mirror.id, at: mirror.start + 1000, .failed(.init(.connectionLost, "reset")))
            run.pass(.seconds(1))
            let free = try #require(run.newest)
            #expect(free.source == 0)
            run.end(free.id, at: free.start + 1000, .stopped)
            let again = try #require(run.newest)
            #expect(again.source == 1)
            run.answer(again.id, part(again, tag: "\"c\""))
        }
        #expect(run.log.contains { $0.contains("mirror.example:80 is not used") })
        #expect(run.error == nil)
        #expect(run.planner.representation?.entityTag?.opaque == Self.tag)
    }

    @Test func `a mirror that answers ranges with the whole is not used beside others`() throws {
        var run = run(2)
        run.answer(try #require(run.newest).id, whole())
        let mirror = try #require(run.newest)
        run.answer(mirror.id, whole())
        #expect(run.closed.contains(mirror.id))
        run.end(mirror.id, at: mirror.start, .cancelled)
        #expect(run.newest?.source == 0)
    }

    @Test func `Retry-After closes the host that said it, and the others go on`() throws {
        var run = run(2)
        run.answer(try #require(run.newest).id, whole())
        let mirror = try #require(run.newest)
        run.answer(mirror.id, ResponseHead(503, ["Retry-After": "60"]))
        #expect(run.backedOff == ["mirror.example:80"])
        #expect(run.newest?.source == 0)
        run.pass(.seconds(59))
        #expect(run.opened.count { $0.source == 1 } == 1)
    }
}
