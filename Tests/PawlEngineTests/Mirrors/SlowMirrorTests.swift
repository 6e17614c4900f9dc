import PawlCore
import PawlTesting
import Testing

/// A source that is slow, turns slow or never answers costs little time.
@Suite(.timeLimit(.minutes(1)), .alone)
struct SlowMirrorTests {
    private let resource = Resource(size: 2 << 20)

    private func seconds(_ both: MirrorScene, _ connections: Int) async throws -> Double {
        let time = SystemTimekeeper()
        let start = time.now()
        try await both.scene.download(try both.settings(connections))
        try both.scene.expectFile(resource)
        return (time.now() - start).seconds
    }

    @Test(arguments: [false, true])
    func `a source that crawls is replaced by the other`(isMirror: Bool) async throws {
        let slow = Reply.resource(resource).rate(20_000)
        let fast = Reply.resource(resource).rate(1_000_000)
        let both = try MirrorScene(isMirror ? fast : slow, mirror: isMirror ? slow : fast)
        // Half of it over the slow one would take 52 s.
        #expect(try await seconds(both, 2) < 30)
    }

    @Test func `a source that never answers is left`() async throws {
        let both = try MirrorScene(.never, mirror: .resource(resource))
        // The stall time is 30 s.
        #expect(try await seconds(both, 1) < 15)
        #expect(both.scene.asked.count >= 1)
    }

    @Test func `a source that turns slow is done without`() async throws {
        let link = SharedLink(bytesPerSecond: 20_000)
        let turning = Reply.resource(resource).through(link).choosing(
            .resource(resource).rate(1_000_000).stallAfterBytes(400_000)
        ) { $0.ordinal == 1 }
        let both = try MirrorScene(turning, mirror: .resource(resource).rate(1_000_000))
        #expect(try await seconds(both, 2) < 30)
    }
}
