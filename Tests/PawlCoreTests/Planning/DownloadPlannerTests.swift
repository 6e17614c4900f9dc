import FoundationEssentials
import PawlCore
import Testing

/// Regression tests of the planner, each with the events that caused the fault.
@Suite(.timeLimit(.minutes(5)))
struct DownloadPlannerTests {
    private static let total: Int64 = 1 << 20
    private static let tag = "\"a\""

    private func settings(_ connections: Int) -> DownloadSettings {
        var settings = DownloadSettings()
        settings.connections = .fixed(connections)
        settings.retries = 3
        return settings
    }

    private func whole(tag: String? = tag, total: Int64 = total) -> ResponseHead {
        ResponseHead(200, ["Content-Length": "\(total)", "Accept-Ranges": "bytes"])
            .with("ETag", tag)
    }

    private var pinned: Representation {
        var pinned = Representation(total: Self.total)
        pinned.entityTag = EntityTag(isWeak: false, opaque: Self.tag)
        return pinned
    }

    private var ofUnknownLength: Representation { pinned.with { $0.total = nil } }

    private func sample(
        _ planned: PlannedTransfer,
        _ offset: Int64,
        skipped: Int64 = 0,
        isPaused: Bool = false
    ) -> TransferSample {
        TransferSample(id: planned.id, offset: offset, skippedBytes: skipped, isPaused: isPaused)
    }

    @Test func `the first of several redirected segments resolves the redirect for all`() throws {
        var run = PlannerRun(settings(4), of: pinned)
        run.answer(try #require(run.newest).id, whole())
        #expect(run.opened.count == 4)
        for planned in run.opened.dropFirst() {
            run.answer(planned.id, ResponseHead(302, ["Location": "/moved?n=\(planned.id.number)"]))
        }
        #expect(run.opened.count == 5, "one transfer resolves the redirect for all")
        let scout = try #require(run.newest)
        let range = try #require(scout.range)
        let contentRange = "bytes \(range.start)-\(range.end - 1)/\(Self.total)"
        run.answer(scout.id, ResponseHead(206, ["Content-Range": contentRange, "ETag": Self.tag]))
        #expect(run.opened.count == 7)
        #expect(Set(run.opened.dropFirst(4).map { $0.url.query() }) == ["n=2"])
    }

    @Test func `a 416 with a smaller total makes the download start over`() throws {
        let have = RangeSet(ByteRange(0, 500_000))
        var run = PlannerRun(settings(1), have: have, of: pinned)
        let first = try #require(run.newest)
        #expect(first.start == 500_000)
        run.answer(first.id, ResponseHead(416, ["Content-Range": "bytes */100000"]))
        let second = try #require(run.newest)
        #expect(run.opened.count == 2)
        #expect(second.pinned == pinned, "the 416 proves nothing")
        #expect(second.range == nil)
        #expect(second.start == 0)
        run.answer(second.id, whole(tag: "\"b\"", total: 100_000))
        #expect(run.planner.representation?.total == 100_000)
        #expect(run.error == nil)
    }

    @Test func `a cancellation from outside ends the download as interrupted`() throws {
        var run = PlannerRun(settings(1), of: pinned)
        let first = try #require(run.newest)
        run.answer(first.id, whole())
        run.end(first.id, at: 1000, .cancelled)
        #expect(run.error?.code == .interrupted)
        #expect(run.opened.count == 1)
    }

    @Test func `skipping bytes for longer than the stall timeout is not a stall`() throws {
        let have = RangeSet(ByteRange(0, 900_000))
        var run = PlannerRun(settings(1), have: have, of: pinned)
        let planned = try #require(run.newest)
        run.answer(planned.id, whole())
        for second in Int64(1)...90 {
            run.pass(.seconds(1), sample(planned, 900_000, skipped: second * 10_000))
        }
        #expect(run.closed.isEmpty)
        // When the transfer stops skipping bytes too, it has stalled.
        for _ in 1...31 { run.pass(.seconds(1), sample(planned, 900_000, skipped: 900_000)) }
        #expect(run.closed == [planned.id])
    }

    @Test func `a transfer that the client itself pauses is neither stalled nor too slow`() throws {
        var settings = settings(1)
        settings.minimumBytesPerSecond = 100_000
        var run = PlannerRun(settings, of: pinned)
        let planned = try #require(run.newest)
        run.answer(planned.id, whole())
        run.pass(.milliseconds(200), sample(planned, 1000))
        for second in Int64(1)...90 {
            run.pass(.seconds(1), sample(planned, 1000 + second * 10, isPaused: true))
        }
        #expect(run.closed.isEmpty)
        for second in Int64(1)...31 { run.pass(.seconds(1), sample(planned, 2000 + second * 10)) }
        #expect(run.closed == [planned.id])
    }

    @Test func `the planner wakes by itself to check a host that it waits for`() {
        var planner = DownloadPlanner(url: PlannerRun.url, settings: settings(1), seed: 1)
        let actions = planner.handle(.started(nil), at: .zero)
        #expect(actions.count == 1)
        guard case .requestSlot = actions.first else {
            Issue.record("\(actions)")
            return
        }
        #expect(planner.wakeAt(.zero) == .zero + .seconds(1))
    }

    @Test func `starting over for lack of proof is not a change and does not repeat forever`()
        throws
    {
        let have = RangeSet(ByteRange(0, 500_000))
        var run = PlannerRun(settings(1), have: have, of: ofUnknownLength)
        while run.error == nil, run.opened.count < 100 {
            let planned = try #require(run.newest)
            // The server has no ranges and a tag that became weak; it always breaks at the same
            // offset.
            run.answer(planned.id, whole(tag: "W/" + Self.tag))
            run.end(planned.id, at: 100_000, .failed(TransferFailure(.connectionLost, "reset")))
            run.waitToRetry()
        }
        #expect(run.log.contains { $0.hasPrefix("nothing proves") })
        #expect(run.error?.code == .network)
        #expect(run.opened.map { $0.range == nil } == [false, true, true, true, true])
    }

    @Test func `a lack of proof followed by a change counts as one change`() throws {
        let have = RangeSet(ByteRange(0, 500_000))
        var run = PlannerRun(settings(1), have: have, of: ofUnknownLength)
        let lost = TransferFailure(.connectionLost, "reset")
        // The tag becomes weak. From the next response on, the date can prove the version.
        let unproven = whole(tag: "W/" + Self.tag).with("Last-Modified", tuesday)
            .with("Date", wednesday)
        let ranged = try #require(run.newest)
        run.answer(ranged.id, unproven)
        run.end(ranged.id, at: 500_000, .stopped)
        let first = try #require(run.newest)
        #expect(first.range == nil)
        run.answer(first.id, unproven)
        run.end(first.id, at: 100_000, .failed(lost))
        let second = try #require(run.newest)
        run.answer(second.id, whole(total: Self.total + 1).with("Last-Modified", wednesday))
        #expect(run.error == nil)
        #expect(run.log.contains { $0.hasPrefix("nothing proves") })
        #expect(run.log.contains { $0.contains("changed on the server") })
        #expect(run.planner.representation?.total == Self.total + 1)
    }

    @Test func `a file that changes with each whole response ends the download`() throws {
        let have = RangeSet(ByteRange(0, 500_000))
        var run = PlannerRun(settings(1), have: have, of: pinned)
        // The first answer is to a range; the request is repeated without it.
        for version in 1...3 {
            let planned = try #require(run.newest)
            let tag = "\"other-\(version)\""
            run.answer(planned.id, whole(tag: tag, total: Self.total + Int64(version)))
            guard run.error == nil else { break }
            run.end(planned.id, at: 100_000, .failed(TransferFailure(.connectionLost, "reset")))
            run.waitToRetry()
        }
        #expect(run.log.contains { $0.contains("changed on the server") })
        #expect(run.error?.code == .keepsChanging)
    }

    /// Runs a download of 1 GiB over a link with a round trip of 40 ms and 10 MB/s.
    ///
    /// `connectTime`: the time that each connection after the first takes to open.
    private func steadyLink(connectTime: Duration) -> PlannerRun {
        let total: Int64 = 1 << 30
        var run = PlannerRun(DownloadSettings(), of: Representation(total: total))
        var offsets: [TransferID: Int64] = [:]
        for _ in 0..<80 {
            for planned in run.running where offsets[planned.id] == nil {
                offsets[planned.id] = planned.start
                let isFirst = offsets.count == 1
                run.answerAsAsked(
                    planned,
                    total: total,
                    connectTime: isFirst ? .milliseconds(40) : connectTime
                )
            }
            let flowing = run.running.filter {
                offsets[$0.id] != nil && !run.closed.contains($0.id)
            }
            let samples = flowing.map { planned in
                offsets[planned.id, default: 0] += 500_000 / Int64(flowing.count)
                return TransferSample(id: planned.id, offset: offsets[planned.id, default: 0])
            }
            run.pass(.milliseconds(50), samples)
        }
        return run
    }

    @Test func `a second connection that waited in a full queue is closed, and no third opens`() {
        let run = steadyLink(connectTime: .milliseconds(80))
        #expect(run.opened.count == 2)
        #expect(run.closed == run.opened.dropFirst().map(\.id))
    }

    @Test(arguments: [45, 1_045])
    func `a second connection that opens as fast, or loses a packet, is followed by others`(
        _ milliseconds: Int
    ) {
        let run = steadyLink(connectTime: .milliseconds(milliseconds))
        #expect(run.opened.count > 4)
    }
}
