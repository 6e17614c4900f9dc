import PawlCore
import PawlTesting
import Testing

/// The table "Judging a head": 206 with a wrong range.
@Suite(.timeLimit(.minutes(5)), .inTurn)
struct PartHeadTests {
    private let resource = Resource(size: Scene.size)

    @Test(arguments: Start.allCases, Scene.connectionCounts)
    func `fewer bytes than requested are kept, and the rest is requested`(
        start: Start,
        connections: Int
    ) async throws {
        let scene = try Scene()
        let settings = scene.settings(connections)
        let reply = Reply.resource(resource).limitRange(to: 100_000)
        try await scene.begin(start, of: resource, settings, then: reply)
        try await scene.download(settings)
        try scene.expectFile(resource)
        scene.expectManners()
        #expect(scene.asked.count { $0.status == 206 } >= 4)
    }

    /// A 206 whose bytes cannot be placed.
    enum BrokenPart: String, CaseIterable, Sendable {
        case startsLater, startsEarlier, endsBeforeItsStart, totalBelowItsEnd, unknownTotal
        case withoutContentRange, nonsense, severalParts, encoded, shorterThanItsRange

        func applied(to reply: Reply) -> Reply {
            switch self {
            case .startsLater: reply.shiftRange(by: 4096)
            case .startsEarlier: reply.shiftRange(by: -1)
            case .endsBeforeItsStart: reply.contentRange("bytes 200000-100000/1048576")
            case .totalBelowItsEnd: reply.contentRange("bytes 150000-1048575/900000")
            case .unknownTotal: reply.unknownTotal
            case .withoutContentRange: reply.noContentRange
            case .nonsense: reply.contentRange("items 1-2/3")
            case .severalParts: reply.multipart
            case .encoded: reply.forRanges(reply.contentEncoding("gzip"))
            case .shorterThanItsRange:
                reply.changed { plan, _ in if plan.status == 206 { plan.declaredLength /= 2 } }
            }
        }
    }

    @Test(arguments: BrokenPart.allCases, Start.allCases)
    func `a 206 without a valid range is retried once, then replaced by one stream`(
        part: BrokenPart,
        start: Start
    ) async throws {
        let scene = try Scene()
        let settings = scene.settings(1)
        let reply = part.applied(to: .resource(resource))
        try await scene.begin(start, of: resource, settings, then: reply)
        let running = try scene.start(settings)
        _ = try await running.file()
        try scene.expectFile(resource)
        let asked = scene.asked.drop { $0.range == nil }
        #expect(asked.map { $0.range != nil } == [true, true, false])
        #expect(Set(asked.prefix(2).map(\.connection)).count == 2)
        #expect(running.log.says("one connection"))
    }

    @Test(arguments: BrokenPart.allCases, Start.allCases)
    func `parts without a valid range are never written by four connections`(
        part: BrokenPart,
        start: Start
    ) async throws {
        let scene = try Scene()
        let settings = scene.settings(4)
        let reply = part.applied(to: .resource(resource))
        try await scene.begin(start, of: resource, settings, then: reply)
        try await scene.download(settings)
        try scene.expectFile(resource)
        scene.expectManners()
        #expect(scene.asked.count { $0.range != nil } <= 6)
    }

    @Test func `a 206 to the first request of a fresh download is refused`() async throws {
        let reply = Reply.resource(resource).believing { $0.range = .from(0, last: nil) }
        let scene = try Scene(reply)
        let error = try await scene.failure(scene.settings(1))
        #expect(error.code == .badResponse)
        #expect(scene.folder.list().isEmpty)
    }
}
