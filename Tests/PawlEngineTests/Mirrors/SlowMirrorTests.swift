import PawlCore
import PawlTesting
import Testing

/// A source that is slow, becomes slow or never answers costs little time.
@Suite(.timeLimit(.minutes(5)), .alone)
struct SlowMirrorTests {
    private let resource = Resource(size: 2 << 20)

    private func seconds(
        under limit: Double,
        _ connections: Int,
        _ makeScene: () throws -> MirrorScene
    ) async throws -> Double {
        try await leastSeconds(under: limit) {
            let both = try makeScene()
            try await both.scene.download(try both.settings(connections))
            try both.scene.expectFile(resource)
            #expect(both.scene.asked.count >= 1)
        }
    }

    @Test(arguments: [false, true])
    func `a very slow source is replaced by the other`(isMirror: Bool) async throws {
        let slow = Reply.resource(resource).rate(20_000)
        let fast = Reply.resource(resource).rate(1_000_000)
        let elapsed = try await seconds(under: 30, 2) {
            try MirrorScene(isMirror ? fast : slow, mirror: isMirror ? slow : fast)
        }
        // Half of the file over the slow source would take 52 s.
        #expect(elapsed < 30)
    }

    @Test func `a source that never answers is dropped`() async throws {
        let elapsed = try await seconds(under: 15, 1) {
            try MirrorScene(.never, mirror: .resource(resource))
        }
        // The stall time is 30 s.
        #expect(elapsed < 15)
    }

    @Test func `a mirror that never answers is asked once`() async throws {
        let both = try MirrorScene(.resource(resource).rate(700_000), mirror: .never)
        try await both.scene.download(try both.settings(4))
        try both.scene.expectFile(resource)
        #expect(both.asked.count == 1)
    }

    @Test func `a source that becomes slow is dropped`() async throws {
        let elapsed = try await seconds(under: 30, 2) {
            let link = SharedLink(bytesPerSecond: 20_000)
            let turning = Reply.resource(resource).through(link).choosing(
                .resource(resource).rate(1_000_000).stallAfterBytes(400_000)
            ) { $0.ordinal == 1 }
            return try MirrorScene(turning, mirror: .resource(resource).rate(1_000_000))
        }
        #expect(elapsed < 30)
    }
}
