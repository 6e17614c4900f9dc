import FoundationEssentials
import PawlCore
import Testing

/// Tests of the conclusions that refusals, unusable ranges and error pages allow about a source.
@Suite(.timeLimit(.minutes(5)))
struct SourceEvidenceTests {
    private static let total: Int64 = 1 << 20
    private static let have: Int64 = 500_000

    private var settings: DownloadSettings {
        var settings = DownloadSettings()
        settings.connections = .fixed(1)
        settings.retries = 20
        return settings
    }

    private var pinned: Representation {
        var pinned = Representation(total: Self.total)
        pinned.entityTag = EntityTag(isWeak: false, opaque: "\"a\"")
        return pinned
    }

    private func resumed() -> PlannerRun {
        PlannerRun(settings, have: RangeSet(ByteRange(0, Self.have)), of: pinned)
    }

    /// Refuses requests while they ask for a range, and returns their number.
    private func refuseRanges(_ run: inout PlannerRun, _ status: Int) throws -> Int {
        var refusals = 0
        while try #require(run.newest).range != nil, refusals < 100 {
            refusals += 1
            run.answer(try #require(run.newest).id, ResponseHead(status))
            run.waitToRetry()
        }
        return refusals
    }

    @Test(arguments: [(500, 2), (502, 2), (503, 3), (429, 3), (400, 1), (406, 1), (416, 1)])
    func `the planner requests the whole file after refused ranges and skips stored bytes`(
        status: Int,
        expected: Int
    ) throws {
        var run = resumed()
        #expect(try refuseRanges(&run, status) == expected)
        let planned = try #require(run.newest)
        #expect(planned.range == nil)
        run.answerAsAsked(planned, total: Self.total)
        #expect(run.error == nil)
        run.pass(.milliseconds(100), TransferSample(id: planned.id, offset: Self.have + 1000))
        #expect(run.planner.arrived.count == Self.have + 1000)
        #expect(run.running.count == 1)
    }

    @Test func `a refusal of the whole file too is an outage, and ranges are requested again`()
        throws
    {
        var run = resumed()
        _ = try refuseRanges(&run, 500)
        run.answer(try #require(run.newest).id, ResponseHead(500))
        run.waitToRetry()
        let planned = try #require(run.newest)
        #expect(planned.range?.start == Self.have)
        run.answerAsAsked(planned, total: Self.total)
        #expect(run.error == nil)
    }

    @Test func `refusals after a served range are an outage`() throws {
        var run = resumed()
        let first = try #require(run.newest)
        run.answerAsAsked(first, total: Self.total)
        run.end(first.id, at: Self.have + 1000, .failed(TransferFailure(.connectionLost, "")))
        run.waitToRetry()
        for _ in 0..<6 {
            let planned = try #require(run.newest)
            #expect(planned.range?.start == Self.have + 1000)
            run.answer(planned.id, ResponseHead(500))
            run.waitToRetry()
        }
    }

    @Test func `the planner keeps using ranges that fail now and then`() throws {
        var run = resumed()
        var offset = Self.have
        for _ in 0..<6 {
            run.answer(try #require(run.newest).id, ResponseHead(206))
            let planned = try #require(run.newest)
            #expect(planned.range?.start == offset)
            run.answerAsAsked(planned, total: Self.total)
            offset += 1000
            run.end(planned.id, at: offset, .failed(TransferFailure(.connectionLost, "")))
            run.waitToRetry()
        }
        #expect(run.error == nil)
    }

    @Test func `broken ranges that were requested together count as one fault`() throws {
        var settings = settings
        settings.connections = .fixed(4)
        var run = PlannerRun(settings, have: RangeSet(ByteRange(0, 1000)), of: pinned)
        run.answerAsAsked(try #require(run.newest), total: Self.total)
        #expect(run.running.count == 4)
        for planned in run.running.dropFirst() { run.answer(planned.id, ResponseHead(206)) }
        // One request finds out whether the fault persists.
        #expect(run.running.count == 2)
        run.answerAsAsked(try #require(run.newest), total: Self.total)
        #expect(run.running.count == 4)
        #expect(run.running.allSatisfy { $0.range != nil })
        #expect(!run.log.contains { $0.contains("one connection") })
    }

    // MARK: - Error pages

    private let page = ResponseHead(200, ["Content-Length": "900", "Content-Type": "text/html"])
    private let plain = ResponseHead(200, ["Content-Length": "900"])

    @Test func `an error page with status 200 discards nothing and ends with its own error`()
        throws
    {
        for head in [page, plain] {
            var run = resumed()
            for _ in 0..<30 where run.error == nil {
                let planned = try #require(run.newest)
                #expect(planned.range?.start == Self.have)
                run.answer(planned.id, head)
                run.waitToRetry()
            }
            #expect(run.error?.code == .notTheFile)
            #expect(run.error?.retryClass == .later)
            #expect(run.planner.arrived.count == Self.have)
        }
    }

    @Test func `an error page among good answers costs no connection`() throws {
        var settings = settings
        settings.connections = .fixed(4)
        var run = PlannerRun(settings, have: RangeSet(ByteRange(0, 1000)), of: pinned)
        run.answerAsAsked(try #require(run.newest), total: Self.total)
        run.answer(try #require(run.newest).id, plain)
        run.pass(.seconds(1))
        let planned = try #require(run.newest)
        #expect(planned.range != nil)
        run.answerAsAsked(planned, total: Self.total)
        #expect(run.error == nil)
        #expect(run.running.count == 4)
    }

    // MARK: - Unproven changes

    private func whole(_ total: Int64, tag: String? = "\"a\"") -> ResponseHead {
        ResponseHead(200, ["Content-Length": "\(total)"]).with("ETag", tag)
    }

    /// Gives the newest transfer its answer, ends it if the answer was refused, and waits.
    private func answer(_ run: inout PlannerRun, _ head: ResponseHead) throws {
        let planned = try #require(run.newest)
        run.answer(planned.id, head)
        if run.closed.contains(planned.id) { run.end(planned.id, at: planned.start, .cancelled) }
        run.waitToRetry()
    }

    /// A server that sends parts with status 200 serves the whole file to a request without a
    /// range.
    @Test(arguments: ["\"a\"", "\"b\"", nil])
    func `parts with status 200 never replace the file`(tag: String?) throws {
        var pinned = pinned
        if tag == nil { pinned.entityTag = nil }
        let have = RangeSet(ByteRange(0, Self.have))
        var run = PlannerRun(settings, have: have, of: pinned)
        for _ in 0..<4 {
            guard let range = try #require(run.newest).range else { break }
            #expect(run.planner.arrived.count >= Self.have - Int64(Seam.samples))
            try answer(&run, whole(range.end - range.start, tag: tag))
        }
        let planned = try #require(run.newest)
        #expect(planned.range == nil)
        run.answer(planned.id, whole(Self.total, tag: pinned.entityTag?.description))
        #expect(run.error == nil)
        #expect(run.planner.arrived.count == Self.have)
        #expect(!run.log.contains { $0.contains("starting over") })
    }

    @Test func `a whole answer of unknown length to a range is requested again without it`() throws
    {
        var run = resumed()
        let head = ResponseHead(200, ["ETag": "\"a\""])
        try answer(&run, head)
        #expect(try #require(run.newest).range == nil)
        run.answer(try #require(run.newest).id, head)
        #expect(run.planner.arrived.count == Self.have)
        #expect(run.planner.representation?.total == Self.total)
        run.end(try #require(run.newest).id, at: Self.total - 1000, .completed)
        #expect(run.planner.representation?.total == Self.total)
        #expect(run.planner.arrived.count == Self.total - 1000)
    }

    @Test func `another length with the same strong tag is a contradiction`() throws {
        var run = resumed()
        var ranges: [Bool] = []
        while run.planner.representation?.total == Self.total, run.opened.count < 50 {
            #expect(run.planner.arrived.count == Self.have)
            ranges.append(try #require(run.newest).range != nil)
            try answer(&run, whole(900_000))
        }
        #expect(ranges == [true, true, false, false, false])
        #expect(run.error == nil)
    }

    @Test func `whole answers that contradict each other keep the bytes`() throws {
        var run = resumed()
        while run.error == nil, run.opened.count < 50 {
            try answer(&run, whole(900_000 + Int64(run.opened.count)))
        }
        #expect(run.error?.code == .notTheFile)
        #expect(run.planner.arrived.count == Self.have)
    }

    @Test func `a part and the whole file that agree on another length are a new version`() throws {
        var run = resumed()
        for _ in 0..<4 {
            guard let range = try #require(run.newest).range else { break }
            let contentRange = "bytes \(range.start)-\(range.start)/900000"
            try answer(&run, ResponseHead(206, ["Content-Range": contentRange, "ETag": "\"a\""]))
        }
        #expect(run.planner.arrived.count == Self.have)
        #expect(try #require(run.newest).range == nil)
        run.answer(try #require(run.newest).id, whole(900_000))
        #expect(run.planner.representation?.total == 900_000)
        #expect(run.log.contains { $0.contains("changed on the server") })
        #expect(run.error == nil)
    }

    @Test func `another strong tag starts over as soon as a whole answer has it`() throws {
        var run = resumed()
        try answer(&run, whole(900_000, tag: "\"b\""))
        #expect(run.planner.arrived.count == Self.have)
        run.answer(try #require(run.newest).id, whole(900_000, tag: "\"b\""))
        #expect(run.opened.count == 2)
        #expect(run.planner.representation?.total == 900_000)
        #expect(run.log.contains { $0.contains("changed on the server: starting over") })
    }

    @Test func `a weak tag alone has to differ twice`() throws {
        let weak = pinned.with { $0.entityTag = EntityTag(isWeak: true, opaque: "\"a\"") }
        var run = PlannerRun(settings, have: RangeSet(ByteRange(0, Self.have)), of: weak)
        for isBelieved in [false, true] {
            let newest = try #require(run.newest)
            let range = try #require(newest.range)
            let contentRange = "bytes \(range.start)-\(range.end - 1)/\(Self.total)"
            try answer(&run, ResponseHead(206, ["Content-Range": contentRange, "ETag": "W/\"b\""]))
            #expect(run.log.contains { $0.contains("starting over") } == isBelieved)
        }
        #expect(try #require(run.newest).range == nil)
    }

    @Test func `answers to requests sent together confirm nothing`() throws {
        var settings = settings
        settings.connections = .fixed(4)
        let pinned = Representation(total: Self.total)
        var run = PlannerRun(settings, of: pinned)
        let first = try #require(run.newest)
        run.answer(first.id, whole(Self.total, tag: nil))
        run.pass(.milliseconds(100), TransferSample(id: first.id, offset: 50_000))
        let others = run.running.filter { $0.id != first.id }
        #expect(others.count == 3)
        for planned in others {
            let contentRange =
                "bytes \(planned.range?.start ?? 0)-\(planned.range?.start ?? 0)/900000"
            run.answer(planned.id, ResponseHead(206, ["Content-Range": contentRange]))
        }
        #expect(run.planner.arrived.count == 50_000)
        #expect(!run.log.contains { $0.contains("starting over") })
    }

    @Test func `a first answer that is an error page keeps the bytes of an earlier run`() throws {
        var planner = DownloadPlanner(url: PlannerRun.url, settings: settings, seed: 1)
        _ = planner.handle(.started(nil), at: .zero)
        _ = planner.handle(.slotGranted(host: "origin.example:80"), at: .zero)
        let seen = Representation(head: plain)
        let id = TransferID(1)
        _ = planner.handle(.headJudged(id, .pin(seen, acceptsRanges: true)), at: .zero)
        let point = StartingPoint(representation: pinned, have: RangeSet(ByteRange(0, Self.have)))
        let actions = planner.handle(.storeOpened(id, point), at: .zero)
        #expect(
            !actions.contains {
                if case .resetStore = $0 { true } else { false }
            }
        )
        #expect(planner.representation == pinned)
        #expect(planner.arrived.count == Self.have)
    }
}
