import Pawl
import PawlCore
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct LineSequenceTests {
    private let text = "first\r\n\nthird ä\nlast"
    private let lines = ["first", "", "third ä", "last"]

    @Test func `a stream has lines`() async throws {
        let scene = try SessionScene(.resource(Resource(text: text)))
        let session = DownloadSession(scene.configuration)
        var found: [String] = []
        for try await line in try await session.bytes(from: try scene.url()).lines {
            found.append(line)
        }
        #expect(found == lines)
    }

    @Test func `the body of a data task has lines, and the task succeeds`() async throws {
        let scene = try SessionScene(.resource(Resource(text: text)))
        let task = DownloadSession(scene.configuration).dataTask(with: try scene.url())
        task.resume()
        var found: [String] = []
        for try await line in task.bytes.lines(limit: 8) { found.append(line) }
        #expect(found == lines)
        #expect(task.state == .finished)
    }

    @Test func `a line that is too long ends the request`() async throws {
        let head = Array("short\n".utf8) + [UInt8](repeating: 0x61, count: 4 << 20)
        let reply = Reply.resource(Resource(bytes: head))
        let scene = try SessionScene(reply.holdAfterBytes(3 << 20, until: Latch()))
        let stream = try await DownloadSession(scene.configuration).bytes(from: try scene.url())
        var found: [String] = []
        let error = await #expect(throws: DownloadError.self) {
            for try await line in stream.lines { found.append(line) }
        }
        #expect(found == ["short"])
        #expect(error?.code == .tooLarge)
        #expect(error?.message == "a line has more than 1048576 bytes")
        await scene.origin.waitForQuiet()
        #expect(scene.origin.requests.map(\.end) == [.abandoned])
        _ = stream
    }

    @Test func `a body that breaks off has its complete lines, and then its error`() async throws {
        let latch = Latch()
        let reply = Reply.resource(Resource(text: "one\ntwo"))
        let scene = try SessionScene(reply.holdAfterBytes(6, until: latch).afterBytes(6, .reset))
        var configuration = scene.configuration
        configuration.settings.retries = 0
        let session = DownloadSession(configuration)
        var found: [String] = []
        let error = await #expect(throws: DownloadError.self) {
            for try await line in try await session.bytes(from: try scene.url()).lines {
                found.append(line)
                latch.release()
            }
        }
        #expect(error?.isRetryable == true)
        #expect(found == ["one"])
    }
}
