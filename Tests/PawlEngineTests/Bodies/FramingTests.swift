import PawlCore
import PawlTesting
import Testing

/// The table "Judging a body": heads that are refused for how they frame it.
@Suite(.timeLimit(.minutes(1)), .inTurn)
struct FramingTests {
    private let resource = Resource(size: Scene.size)

    enum Framing: String, CaseIterable, Sendable {
        case twoLengths, listOfLengths, negative, noNumber, tooLarge, lengthAndChunks
        case hugeHead, manyFields, noHTTP

        func applied(to reply: Reply) -> Reply {
            switch self {
            case .twoLengths:
                reply.setting("Content-Length", "1048576").adding("Content-Length", "1000")
            case .listOfLengths: reply.setting("Content-Length", "1048576, 1000")
            case .negative: reply.setting("Content-Length", "-1")
            case .noNumber: reply.setting("Content-Length", "0x100000")
            case .tooLarge: reply.setting("Content-Length", "9223372036854775808")
            case .lengthAndChunks: reply.chunked().adding("Content-Length", "1048576")
            case .hugeHead:
                (0..<300).reduce(reply) { reply, number in
                    reply.adding("X-\(number)", String(repeating: "a", count: 1000))
                }
            case .manyFields:
                (0..<1100).reduce(reply) { reply, number in reply.adding("X-\(number)", "a") }
            case .noHTTP: .raw("SSH-2.0-OpenSSH_9.2\r\n")
            }
        }
    }

    @Test(arguments: Framing.allCases, Scene.connectionCounts)
    func `a head whose framing makes no sense is refused and nothing is kept`(
        framing: Framing,
        connections: Int
    ) async throws {
        let scene = try Scene(framing.applied(to: .resource(resource)))
        let error = try await scene.failure(scene.settings(connections))
        #expect(error.code == .badResponse)
        #expect(scene.folder.list().isEmpty)
        #expect(scene.asked.count <= 2)
    }

    @Test(arguments: Framing.allCases, Scene.connectionCounts)
    func `such a head on resume leaves what is there`(
        framing: Framing,
        connections: Int
    ) async throws {
        let scene = try Scene()
        let settings = scene.settings(connections)
        let reply = framing.applied(to: .resource(resource))
        try await scene.begin(.resumed, of: resource, settings, then: reply)
        _ = try await scene.failure(settings)
        scene.serve(.resource(resource))
        scene.forgetRequests()
        try await scene.download(settings)
        try scene.expectFile(resource)
        #expect(scene.asked.allSatisfy { $0.status == 206 })
    }

    @Test func `two equal lengths are one`() async throws {
        let scene = try Scene(
            .resource(resource).setting("Content-Length", "1048576")
                .adding("Content-Length", "1048576")
        )
        try await scene.download(scene.settings(1))
        try scene.expectFile(resource)
    }
}
