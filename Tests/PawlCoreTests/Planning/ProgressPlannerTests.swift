import FoundationEssentials
import PawlCore
import Testing

/// Tests with servers whose responses begin well but have few bytes, or none.
@Suite(.timeLimit(.minutes(5)))
struct ProgressPlannerTests {
    private static let total: Int64 = 64 << 20

    private func run(_ connections: Int) throws -> PlannerRun {
        var settings = DownloadSettings()
        settings.connections = .fixed(connections)
        settings.retries = 2
        settings.stallTimeout = .seconds(2)
        var pinned = Representation(total: Self.total)
        pinned.entityTag = EntityTag(isWeak: false, opaque: "\"a\"")
        return PlannerRun(settings, of: pinned)
    }

    /// Returns a run whose first response broke after 1 MB.
    private func broken(_ connections: Int) throws -> PlannerRun {
        var run = try run(connections)
        let first = try #require(run.newest)
        run.answerAsAsked(first, total: Self.total)
        run.pass(.milliseconds(300), TransferSample(id: first.id, offset: 1_000_000))
        for planned in run.running.reversed() {
            let offset = planned.id == first.id ? 1_000_000 : planned.start
            run.end(planned.id, at: offset, .failed(TransferFailure(.connectionLost, "reset")))
        }
        return run
    }

    /// How a server ends responses that have a head but no body.
    enum Emptiness: CaseIterable {
        /// It never does.
        case silent
        /// It breaks the connection after a second.
        case reset
        /// It does not end the responses to every second request, and refuses the others.
        case silentOrRefused
    }

    @Test(arguments: [1, 2, 3, 6], Emptiness.allCases)
    func `heads without bodies are failures for any number of connections`(
        connections: Int,
        emptiness: Emptiness
    ) throws {
        var run = try broken(connections)
        var opened: [TransferID: Moment] = [:]
        while run.error == nil, run.now < .zero + .seconds(120) {
            for planned in run.running {
                let since = opened[planned.id, default: run.now]
                opened[planned.id] = since
                if run.closed.contains(planned.id) {
                    run.end(planned.id, at: planned.start, .cancelled)
                } else if since == run.now {
                    let isRefused = emptiness == .silentOrRefused && planned.id.number % 2 == 0
                    if isRefused {
                        run.answer(planned.id, ResponseHead(503, [:]))
                    } else {
                        run.answerAsAsked(planned, total: Self.total)
                    }
                } else if emptiness == .reset, run.now - since >= .seconds(1) {
                    let lost = TransferFailure(.connectionLost, "reset")
                    run.end(planned.id, at: planned.start, .failed(lost))
                }
            }
            run.pass(.milliseconds(100))
        }
        #expect(run.error != nil)
        #expect(run.now < .zero + .seconds(20))
    }

    /// Answers each request, and ends each response after up to `count` bytes; returns the time
    /// spent waiting.
    private func serve(
        _ run: inout PlannerRun,
        upTo count: Int64,
        _ outcome: TransferOutcome,
        until moment: Moment
    ) -> Duration {
        var waited = Duration.zero
        while run.error == nil, run.now < moment {
            let before = run.now
            run.waitToRetry()
            waited += run.now - before
            let transfers = run.running
            if transfers.isEmpty, !run.planner.isWaitingToRetry { break }
            for planned in transfers { run.answerAsAsked(planned, total: Self.total) }
            run.pass(.milliseconds(1))
            for planned in transfers {
                let end = run.ends[planned.id]?.end ?? planned.end
                let offset = min(end, planned.start + count)
                run.end(planned.id, at: offset, offset == end ? .stopped : outcome)
            }
        }
        return waited
    }

    @Test(
        arguments: [1, 4],
        [.completed, .failed(TransferFailure(.connectionLost, "reset"))] as [TransferOutcome]
    )
    func `responses that end after a few bytes are requested ever more slowly`(
        connections: Int,
        outcome: TransferOutcome
    ) throws {
        var run = try broken(connections)
        let count = run.opened.count
        _ = serve(&run, upTo: 100, outcome, until: .zero + .seconds(60))
        #expect(run.error == nil)
        let requests = run.opened.count - count
        #expect(requests > 20 && requests < 60 * connections, "\(requests)")
    }

    @Test(arguments: [1, 4], [20_000, 1 << 20] as [Int64])
    func `responses that end after enough bytes are continued at once`(
        connections: Int,
        count: Int64
    ) throws {
        var run = try run(connections)
        let waited = serve(&run, upTo: count, .completed, until: .zero + .seconds(60))
        #expect(waited == .zero)
        #expect(run.planner.arrived == RangeSet(ByteRange(0, Self.total)))
    }

    @Test func `short parts that a server announces are continued at once`() throws {
        var run = try broken(1)
        run.waitToRetry()
        for _ in 0..<100 {
            let planned = try #require(run.newest)
            let range = try #require(planned.range)
            let part = ByteRange(range.start, range.start + 8192)
            let contentRange = "bytes \(part.start)-\(part.end - 1)/\(Self.total)"
            run.answer(
                planned.id,
                ResponseHead(206, ["Content-Range": contentRange, "ETag": "\"a\""])
            )
            run.pass(.milliseconds(1))
            run.end(planned.id, at: part.end, .completed)
            #expect(!run.planner.isWaitingToRetry)
        }
    }

    @Test func `a few short responses in a row are continued at once`() throws {
        var run = try run(1)
        for _ in 0..<100 {
            // Eight connections that break early, then a good one.
            for _ in 0..<8 {
                let planned = try #require(run.newest)
                run.answerAsAsked(planned, total: Self.total)
                run.pass(.milliseconds(1))
                run.end(planned.id, at: planned.start + 100, .completed)
            }
            let planned = try #require(run.newest)
            run.answerAsAsked(planned, total: Self.total)
            run.pass(.milliseconds(1))
            run.end(planned.id, at: planned.start + 200_000, .completed)
            #expect(!run.planner.isWaitingToRetry)
        }
    }
}
