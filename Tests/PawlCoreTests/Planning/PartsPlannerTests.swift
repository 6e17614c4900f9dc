import PawlCore
import Testing

/// Tests which bytes a connection gets at once.
@Suite(.timeLimit(.minutes(5)))
struct PartsPlannerTests {
    private static let total: Int64 = 64 << 20

    /// Returns a run with four connections that have received bytes for a second, 1 MiB each.
    private func begun() throws -> PlannerRun {
        var settings = DownloadSettings()
        settings.connections = .fixed(4)
        var pinned = Representation(total: Self.total)
        pinned.entityTag = EntityTag(isWeak: false, opaque: "\"a\"")
        var run = PlannerRun(settings, of: pinned)
        run.answerAsAsked(try #require(run.newest), total: Self.total)
        for planned in run.opened.dropFirst() {
            run.answerAsAsked(planned, total: Self.total, connectTime: .milliseconds(20))
        }
        for tick in Int64(1)...8 {
            let samples = run.running.map {
                TransferSample(id: $0.id, offset: $0.start + tick << 17)
            }
            run.pass(.milliseconds(125), samples)
        }
        return run
    }

    @Test func `connections that are opened together get half of an even share each`() throws {
        let run = try begun()
        let part = Self.total / 8
        let starts = run.opened.dropFirst().map(\.start)
        #expect(starts == [Self.total - part, Self.total - 2 * part, Self.total - 3 * part])
        #expect(run.ends[run.opened[0].id]?.end == starts.last)
    }

    @Test func `the next part is taken from bytes that nobody has requested alone`() throws {
        var run = try begun()
        let end = try #require(run.ends[run.opened[0].id]?.end)
        for planned in run.opened.dropFirst() {
            run.end(planned.id, at: planned.end, .completed)
        }
        let parts = run.opened.dropFirst(4)
        #expect(parts.count == 3)
        #expect(parts.first?.end == end)
        // Each ends where the one before it begins: no response is cut.
        for (part, next) in zip(parts, parts.dropFirst()) { #expect(next.end == part.start) }
        #expect(run.closed.isEmpty)
    }

    @Test func `a source that closes its connections is asked for whole shares`() throws {
        func nextPart(_ connectTime: Duration?) throws -> Int64 {
            var run = try begun()
            let first = run.opened[1]
            run.end(first.id, at: first.end, .completed)
            let second = try #require(run.newest)
            run.answerAsAsked(second, total: Self.total, connectTime: connectTime)
            run.end(run.opened[2].id, at: run.opened[2].end, .completed)
            let third = try #require(run.newest)
            #expect(third.id != second.id)
            return third.end - third.start
        }
        let (kept, closed) = (try nextPart(nil), try nextPart(.milliseconds(20)))
        #expect(closed > kept * 3 / 2, "\(kept) bytes, then \(closed)")
    }
}
