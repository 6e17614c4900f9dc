import PawlCore
import Testing

/// Tests of how ticks are interpreted while the caller suspends the download.
@Suite(.timeLimit(.minutes(5)))
struct SuspensionPlannerTests {
    private static let total: Int64 = 1 << 30

    /// A download whose connections all receive at the same speed.
    private struct Flow {
        var run: PlannerRun
        var offsets: [TransferID: Int64] = [:]

        init(_ settings: DownloadSettings) {
            run = PlannerRun(settings, of: Representation(total: total))
        }

        private var samples: [TransferSample] {
            run.running.map { TransferSample(id: $0.id, offset: offsets[$0.id] ?? $0.start) }
        }

        /// Passes ticks of 50 ms, in each of which every connection receives the given number of
        /// bytes.
        mutating func pass(_ ticks: Int, receiving bytes: Int64) {
            for _ in 0..<ticks {
                for planned in run.running {
                    if offsets[planned.id] == nil {
                        offsets[planned.id] = planned.start
                        run.answerAsAsked(planned, total: total)
                    }
                    offsets[planned.id, default: planned.start] += bytes
                }
                run.pass(.milliseconds(50), samples)
            }
        }

        mutating func suspend(for ticks: Int) {
            for _ in 0..<ticks { run.pass(.milliseconds(200), samples, isSuspended: true) }
        }
    }

    @Test func `a suspension closes no connection and ends no trial`() {
        var flow = Flow(DownloadSettings())
        while flow.run.running.count < 4 { flow.pass(1, receiving: 50_000) }
        let before = flow.run.running
        // Longer than any timeout for a silent server.
        flow.suspend(for: 3_000)
        #expect(flow.run.running == before)
        #expect(flow.run.closed.isEmpty)
        for _ in 0..<20 where flow.run.running.count == 4 { flow.pass(1, receiving: 50_000) }
        #expect(flow.run.running.count > 4, "the governor resumes its trial")
        #expect(flow.run.closed.isEmpty, "\(flow.run.log)")
    }

    @Test func `the first connection to resume does not make the others count as slow`() {
        var settings = DownloadSettings()
        settings.connections = .fixed(2)
        settings.minimumBytesPerSecond = 100_000
        var flow = Flow(settings)
        flow.pass(100, receiving: 50_000)
        flow.suspend(for: 3_000)
        flow.pass(100, receiving: 50_000)
        #expect(flow.run.closed.isEmpty, "\(flow.run.log)")
        #expect(flow.run.opened.count == 2)
    }

    @Test func `a suspended download is checked less often`() throws {
        var flow = Flow(DownloadSettings())
        flow.pass(2, receiving: 50_000)
        let now = flow.run.now
        let measuring = try #require(flow.run.planner.wakeAt(now))
        flow.suspend(for: 1)
        let suspended = try #require(flow.run.planner.wakeAt(now))
        #expect(measuring - now < .milliseconds(50))
        #expect(suspended - now == .milliseconds(200))
    }
}
