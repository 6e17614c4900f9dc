import FoundationEssentials
import PawlCore
import Testing

/// Tests of the conclusions that refusals, unusable ranges and error pages allow about a source.
@Suite(.timeLimit(.minutes(1)))
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
        let order = try #require(run.newest)
        #expect(order.range == nil)
        run.answerAsAsked(order, total: Self.total)
        #expect(run.error == nil)
        run.pass(.milliseconds(100), TransferSample(id: order.id, offset: Self.have + 1000))
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
        let order = try #require(run.newest)
        #expect(order.range?.start == Self.have)
        run.answerAsAsked(order, total: Self.total)
        #expect(run.error == nil)
    }

    @Test func `refusals after a served range are an outage`() throws {
        var run = resumed()
        let first = try #require(run.newest)
        run.answerAsAsked(first, total: Self.total)
        run.end(first.id, at: Self.have + 1000, .failed(TransferFailure(.connectionLost, "")))
        run.waitToRetry()
        for _ in 0..<6 {
            let order = try #require(run.newest)
            #expect(order.range?.start == Self.have + 1000)
            run.answer(order.id, ResponseHead(500))
            run.waitToRetry()
        }
    }

    @Test func `the planner keeps using ranges that fail now and then`() throws {
        var run = resumed()
        var offset = Self.have
        for _ in 0..<6 {
            run.answer(try #require(run.newest).id, ResponseHead(206))
            let order = try #require(run.newest)
            #expect(order.range?.start == offset)
            run.answerAsAsked(order, total: Self.total)
            offset += 1000
            run.end(order.id, at: offset, .failed(TransferFailure(.connectionLost, "")))
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
        for order in run.running.dropFirst() { run.answer(order.id, ResponseHead(206)) }
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
                let order = try #require(run.newest)
                #expect(order.range?.start == Self.have)
                run.answer(order.id, head)
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
        let order = try #require(run.newest)
        #expect(order.range != nil)
        run.answerAsAsked(order, total: Self.total)
        #expect(run.error == nil)
        #expect(run.running.count == 4)
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
