import PawlCore
import PawlEngine
import PawlTesting
import Testing

/// Answers as a whole, in memory.
@Suite(.timeLimit(.minutes(5)), .inTurn)
struct CollectTests {
    private let resource = Resource(size: 300_000)

    @Test(arguments: [false, true])
    func `a body that just fits the limit is accepted`(isChunked: Bool) async throws {
        let reply = Reply.resource(resource)
        let scene = try Scene(isChunked ? reply.chunked() : reply)
        let body = try await scene.answer(limit: resource.size)
        #expect(body.bytes == resource.bytes())
        #expect(try await scene.refusal(limit: resource.size - 1).code == .tooLarge)
    }

    @Test func `a length over the limit is refused before the body`() async throws {
        let scene = try Scene(.resource(Resource(size: 1 << 40)))
        let error = try await scene.refusal()
        #expect(error.code == .tooLarge)
        #expect(error.message.contains("1099511627776 bytes"))
        #expect(error.message.contains("67108864 bytes"))
        #expect(scene.asked.count == 1)
        await scene.origin.waitForQuiet()
    }

    @Test func `a length over the limit is refused even if the head was read before`()
        async throws
    {
        let scene = try Scene(.resource(Resource(size: 1 << 40)))
        let stream = try scene.stream(by: EngineProcess())
        _ = try await stream.open()
        let error = await #expect(throws: DownloadError.self) {
            try await stream.collect(limit: 1000)
        }
        #expect(error?.code == .tooLarge)
        #expect(stream.receivedBytes == 0)
        await scene.origin.waitForQuiet()
    }

    @Test func `a body without a length ends as soon as it exceeds the limit`() async throws {
        let scene = try Scene(
            .endless("HTTP/1.1 200 OK\r\n\r\n", repeating: String(repeating: "x", count: 4096))
        )
        let error = try await scene.refusal(limit: 100_000)
        #expect(error.code == .tooLarge)
        #expect(error.retryClass == .never)
        await scene.origin.waitForQuiet()
        #expect(scene.asked.count == 1)
    }

    @Test func `a body that breaks before anybody read of it is requested again`() async throws {
        let short = Reply.resource(resource).afterBytes(100_000, .reset)
        let scene = try Scene(.sequence([short, short, .resource(resource)]))
        #expect(try await scene.answer().bytes == resource.bytes())
        #expect(scene.asked.count == 3)
        #expect(scene.asked.allSatisfy { $0.range == nil })
    }

    @Test func `a broken answer to a POST is an error`() async throws {
        let scene = try Scene(.status(200, body: "0123456789").afterBytes(5, .close))
        #expect(try await scene.refusal("POST").code == .network)
        #expect(scene.asked.count == 1)
    }

    @Test func `a body that is always short is given up`() async throws {
        let scene = try Scene(.resource(resource).afterBytes(1000, .close))
        #expect(try await scene.refusal().code == .network)
        #expect(scene.asked.count == 4)
    }

    @Test func `two hundred requests at once are all correct`() async throws {
        let scene = try Scene()
        scene.origin.route(
            "/*",
            .each { exchange in .status(200, body: exchange.request.path) }
        )
        let process = EngineProcess()
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<200 {
                group.addTask {
                    let body = try await scene.answer(from: "/\(number)", by: process)
                    return body.bytes == Array("/\(number)".utf8)
                }
            }
            for try await isRight in group { #expect(isRight) }
        }
        #expect(scene.origin.snapshot.peakConnections <= 16)
    }
}
