import FoundationEssentials
import PawlCore
import Testing

/// Tests of the choice among several sources of one download.
@Suite(.timeLimit(.minutes(5)))
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
        _ planned: PlannedTransfer,
        tag: String? = tag,
        total: Int64 = total
    ) -> ResponseHead {
        let range = planned.range ?? ByteRange(0, total)
        let contentRange = "bytes \(range.start)-\(min(range.end, total) - 1)/\(total)"
        return ResponseHead(206, ["Content-Range": contentRange]).with("ETag", tag)
    }

    private func hosts(_ transfers: some Sequence<PlannedTransfer>) -> [String] {
        transfers.map { $0.url.host() ?? "" }
    }

    /// Starts a run, answers the first source, and answers the mirror with the given head.
    private func begun(_ connections: Int, tag: String? = tag, total: Int64 = total) throws
        -> PlannerRun
    {
        var run = run(connections)
        run.answer(try #require(run.newest).id, whole())
        let mirror = try #require(run.opened.first { $0.source == 1 })
        run.answer(mirror.id, part(mirror, tag: tag, total: total))
        return run
    }

    /// Lets all transfers receive bytes for a while, at the given speed of each source.
    private func flow(_ run: inout PlannerRun, _ speeds: [Int64], tenths: Int64 = 10) {
        let transfers = run.opened
        for tenth in 1...tenths {
            let samples = transfers.map { planned in
                let came = speeds[planned.source] * tenth / 10
                return TransferSample(
                    id: planned.id,
                    offset: min(planned.end, planned.start + came)
                )
            }
            run.pass(.milliseconds(100), samples)
        }
    }

    @Test func `the requested source comes first, and a mirror gets the second connection`()
        throws
    {
        var run = run(2)
        #expect(hosts(run.opened) == ["origin.example"])
        run.answer(try #require(run.newest).id, whole())
        #expect(hosts(run.opened) == ["origin.example", "mirror.example"])
        #expect(run.opened[1].proof == .sameFile(digest: nil))
    }

    @Test func `a mirror gets one connection, and more once it has proven itself`() throws {
        var run = run(8)
        run.answer(try #require(run.newest).id, whole())
        // Each source gets half of the connections; the mirror must prove itself first.
        #expect(hosts(run.opened).count { $0 == "origin.example" } == 4)
        #expect(hosts(run.opened).count { $0 == "mirror.example" } == 1)
        let mirror = try #require(run.opened.first { $0.source == 1 })
        run.answer(mirror.id, part(mirror))
        #expect(hosts(run.opened).count { $0 == "mirror.example" } == 4)
        #expect(run.opened.last?.proof == .unchanged)
    }

    @Test(arguments: [("\"b\"", total), (tag, total - 1), (nil, total)])
    func `a mirror without proof is dropped, and the first source continues alone`(
        tag: String?,
        total: Int64
    ) throws {
        let run = try begun(4, tag: tag, total: total)
        #expect(run.log.contains { $0.contains("mirror.example:80 is not used") })
        #expect(hosts(run.opened.suffix(3)).allSatisfy { $0 == "origin.example" })
        #expect(run.error == nil)
    }

    @Test func `a new connection goes to the source that promises the most speed`() throws {
        var run = try begun(2)
        flow(&run, [8 << 20, 1 << 20], tenths: 20)
        let first = run.opened[0]
        run.end(first.id, at: 16 << 20, .stopped)
        #expect(run.newest?.source == 0)
        // A source that has slowed down gets no new connection.
        var other = try begun(2)
        flow(&other, [1 << 10, 4 << 20], tenths: 15)
        other.end(other.opened[0].id, at: 1 << 20, .stopped)
        #expect(other.newest?.source == 1)
    }

    @Test(arguments: [(Int64(4), 1), (1, 0)])
    func `an idle source comes before a second connection to a faster one, unless it crawls`(
        mebibytes: Int64,
        source: Int
    ) throws {
        var run = try begun(2)
        flow(&run, [16 << 20, mebibytes << 20])
        let mirror = run.opened[1]
        run.end(mirror.id, at: mirror.start + mebibytes << 20, .stopped)
        #expect(run.newest?.source == source)
    }

    @Test func `a source that became slow gets no new connection at once`() throws {
        var run = try begun(8)
        let answered = [run.opened[0].id, run.opened.first { $0.source == 1 }?.id]
        for planned in run.running where !answered.contains(planned.id) {
            run.answer(planned.id, part(planned))
        }
        var offsets: [TransferID: Int64] = [:]
        for tenth in 1...40 where run.closed.isEmpty {
            for planned in run.running {
                let speed: Int64 = planned.source == 0 && tenth > 10 ? 8 << 10 : 1 << 20
                offsets[planned.id, default: planned.start] += speed / 10
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

    @Test func `new connections get equal parts before any speed is known`() throws {
        let run = try begun(8)
        #expect(run.opened.count == 8)
        #expect(run.opened.allSatisfy { $0.end - $0.start >= Self.total / 16 })
    }

    @Test func `another source replaces a crawling source`() throws {
        var run = try begun(2)
        flow(&run, [1 << 10, 4 << 20], tenths: 25)
        #expect(run.closed == [run.opened[0].id])
        run.end(run.opened[0].id, at: 2500, .cancelled)
        #expect(run.newest?.source == 1)
    }

    @Test func `another source takes over from a dead source, which is tried again later`()
        throws
    {
        var run = try begun(2)
        flow(&run, [1 << 20, 1 << 20])
        let lost = TransferOutcome.failed(TransferFailure(.connectionLost, "reset"))
        run.end(run.opened[0].id, at: 1 << 20, lost)
        #expect(run.newest?.source == 1, "another source takes over")
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
        #expect(run.log.contains { $0.contains("continuing with the other sources") })
        #expect(run.error == nil)
    }

    @Test func `a permanent refusal ends one source, and the last one ends the download`() throws {
        var run = run(2)
        run.answer(try #require(run.newest).id, ResponseHead(404, [:]))
        #expect(run.newest?.source == 1)
        #expect(run.newest?.pinned == nil, "the planner accepts the version of this source")
        run.answer(try #require(run.newest).id, ResponseHead(403, [:]))
        #expect(run.error?.code == .notFound)
        #expect(run.error?.context == "trying 2 sources, which all failed")
    }

    @Test func `the download reports the most hopeful error of its sources`() throws {
        var run = run(1)
        run.answer(try #require(run.newest).id, ResponseHead(404, [:]))
        for _ in 1...3 {
            run.answer(try #require(run.newest).id, ResponseHead(503, [:]))
            run.waitToRetry()
        }
        #expect(run.error?.code == .serverBusy)
        #expect(run.opened.count == 4)
    }

    @Test func `another source replaces a silent source, which later gets more time`()
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

    @Test func `on resume, the source of the bytes decides whether the file changed`() throws {
        let have = RangeSet(ByteRange(0, 1 << 20))
        var run = run(1, have: have, from: PlannerRun.url.absoluteString)
        let first = try #require(run.newest)
        #expect(first.proof == .unchanged)
        run.answer(first.id, part(first, tag: "\"b\""))
        #expect(run.log.contains { $0.contains("changed on the server") })
        #expect(run.newest?.pinned == nil)
    }

    @Test func `on resume, another source must prove itself or is dropped`() throws {
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

    @Test func `the download starts over if no source has the version on disk`() throws {
        let have = RangeSet(ByteRange(0, 1 << 20))
        var run = run(1, have: have, from: "http://former.example/disk.iso")
        for _ in 1...2 {
            let planned = try #require(run.newest)
            run.answer(planned.id, part(planned, tag: "\"b\""))
        }
        let third = try #require(run.newest)
        #expect(third.pinned == nil)
        #expect(third.range == nil)
        #expect(third.source == 0)
        #expect(run.planner.arrived == have, "the bytes are kept until a good response arrives")
        run.answer(third.id, whole(tag: "\"b\""))
        #expect(run.log.contains { $0.contains("starting over") })
        #expect(run.planner.arrived.isEmpty)
        #expect(run.planner.representation?.entityTag?.opaque == "\"b\"")
        #expect(run.error == nil)
    }

    @Test func `a mirror whose file changes gets one more chance and is then dropped`() throws {
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

    @Test func `a mirror that answers ranges with the whole file is not used`() throws {
        var run = run(2)
        run.answer(try #require(run.newest).id, whole())
        let mirror = try #require(run.newest)
        run.answer(mirror.id, whole())
        #expect(run.closed.contains(mirror.id))
        run.end(mirror.id, at: mirror.start, .cancelled)
        #expect(run.newest?.source == 0)
    }

    @Test func `Retry-After closes only the host that sent it`() throws {
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
