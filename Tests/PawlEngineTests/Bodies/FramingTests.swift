import PawlCore
import PawlTesting
import Testing

/// The table "Judging a body": heads that are refused for the way they frame the body.
@Suite(.timeLimit(.minutes(5)), .inTurn)
struct FramingTests {
    private let resource = Resource(size: Scene.size)

    enum Framing: String, CaseIterable, Sendable {
        case twoLengths, listOfLengths, negative, noNumber, tooLarge, lengthAndChunks
        case hugeHead, manyFields, noHTTP, otherProtocol, longReason, unknownCoding, chunkedTwice

        /// 101 followed by bytes of another file, as if they were the requested range.
        static let switching = Reply.each { exchange in
            var start: Int64 = 0
            if case .from(let first, _) = exchange.range { start = first }
            let bytes = Resource(size: Scene.size, seed: 9).bytes(ByteRange(start, Scene.size))
            return .raw(Array("HTTP/1.1 101 Switching Protocols\r\n\r\n".utf8) + bytes)
        }

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
            case .otherProtocol: Self.switching
            case .longReason:
                .endless("HTTP/1.1 200 ", repeating: String(repeating: "a", count: 999))
            case .unknownCoding: .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: x-foo\r\n\r\nabc")
            case .chunkedTwice:
                .raw(
                    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"
                        + "Transfer-Encoding: chunked\r\n\r\n8\r\n3\r\nabc\r\n\r\n0\r\n\r\n"
                )
            }
        }
    }

    @Test(arguments: Scene.connectionCounts)
    func `bytes after a protocol switch never enter the file`(connections: Int) async throws {
        let scene = try Scene()
        let others = Latch()
        let first = Reply.resource(resource).setting("ETag", "\"a\"")
            .holdAfterBytes(Scene.heldBytes, until: others)
        let reply = Reply.each { _ in
            others.release()
            return Framing.switching
        }
        scene.serve(
            reply.choosing(.resource(resource).setting("ETag", "\"a\"")) { $0.ordinal > 4 }
                .choosing(first) { $0.ordinal == 1 }
        )
        if connections == 1 { others.release() }
        try await scene.download(scene.settings(connections))
        try scene.expectFile(resource)
        #expect(connections == 1 || scene.asked.count > 1)
    }

    @Test(arguments: Framing.allCases, Scene.connectionCounts)
    func `a head with invalid framing is refused, and nothing is kept`(
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
    func `a head with invalid framing leaves a resumed download as it is`(
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

    @Test func `two equal lengths count as one`() async throws {
        let scene = try Scene(
            .resource(resource).setting("Content-Length", "1048576")
                .adding("Content-Length", "1048576")
        )
        try await scene.download(scene.settings(1))
        try scene.expectFile(resource)
    }
}
