import Pawl
import PawlCore
import PawlTestKit
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ScriptedFailureTests {
    private func failure(of scene: ScriptedScene) async -> DownloadError? {
        await #expect(throws: DownloadError.self) { try await scene.download() }
    }

    @Test func `a request without a scripted response fails at once and names its URL`()
        async throws
    {
        let scene = try ScriptedScene()
        scene.server.respond(to: try scene.url("other.bin"), with: .text("other"))
        let error = try #require(await failure(of: scene))
        #expect(error.code == .usage && !error.isRetryable)
        #expect(
            error.message.contains("(GET https://files.example.com/disk.bin)"),
            "\(error.message)"
        )
        #expect(scene.server.requests.count == 1)
        let fetched = await #expect(throws: DownloadError.self) {
            try await scene.session.data(from: try scene.url("list.json"))
        }
        #expect(fetched?.message.contains("https://files.example.com/list.json") == true)
    }

    @Test(arguments: ScriptedFailure.allCases)
    func `a failure of the connection is reported as the real one`(_ failure: ScriptedFailure)
        async throws
    {
        var configuration = SessionConfiguration.default
        configuration.settings.retries = 0
        let scene = try ScriptedScene(configuration)
        scene.server.respond(to: try scene.url(), with: .failure(failure))
        let error = try #require(await self.failure(of: scene))
        #expect((error.cause as? NetworkFailure)?.kind == "\(failure)")
        let code: ErrorCode =
            switch failure {
            case .nameNotResolved: .nameNotResolved
            case .connectTimedOut: .timedOut
            case .certificateRefused: .tlsFailed
            case .cannotConnect, .connectionLost: .network
            }
        #expect(error.code == code)
    }

    @Test func `a failure in the middle of a body keeps the bytes before it`() async throws {
        var configuration = SessionConfiguration.default
        configuration.settings.retries = 0
        let scene = try ScriptedScene(configuration)
        let body = ScriptedResponse.body([UInt8].sample(500_000))
        scene.server.respond(to: try scene.url(), with: body.breaking(afterBytes: 200_000))
        let error = try #require(await failure(of: scene))
        #expect(error.code == .network && error.resumeData?.receivedBytes == 200_000)
    }

    @Test(arguments: [
        ScriptedResponse.text("0123456789").breaking(afterBytes: 11),
        .text("0123456789").holding(afterBytes: 11, until: ResponseHold()),
        .text("0123456789").breaking(afterBytes: 4).holding(afterBytes: 5, until: ResponseHold()),
        .text("0123456789").field("Content-Length", "5").breaking(afterBytes: 6),
        .failure(.cannotConnect).breaking(afterBytes: 0),
        .status(204).holding(afterBytes: 0, until: ResponseHold()),
    ])
    func `a response that never reaches a scripted failure or wait fails`(
        _ response: ScriptedResponse
    ) async throws {
        let scene = try ScriptedScene()
        scene.server.respond(to: try scene.url(), with: response)
        let error = try #require(await failure(of: scene))
        #expect(error.code == .usage && !error.isRetryable)
        #expect(error.message.contains("is shorter than"), "\(error.message)")
    }

    @Test func `a response without bytes waits, too`() async throws {
        let scene = try ScriptedScene()
        let hold = ResponseHold()
        let empty = ScriptedResponse.text("").holding(afterBytes: 0, until: hold)
        scene.server.respond(to: try scene.url(), with: empty)
        async let file = scene.download()
        await hold.waitUntilReached()
        hold.release()
        #expect(try await file.byteCount == 0)
    }

    @Test func `a response to a range of fewer bytes does not break`() async throws {
        let scene = try ScriptedScene()
        let body = ScriptedResponse.text("0123456789").breaking(afterBytes: 6)
        scene.server.respond(to: try scene.url(), with: body)
        var request = DownloadRequest(try scene.url())
        request.fields = [HTTPField(name: "Range", value: "bytes=5-")]
        #expect(try await scene.session.data(for: request).string() == "56789")
    }

    @Test func `a response waits before it breaks at the same offset`() async throws {
        var configuration = SessionConfiguration.default
        configuration.settings.retries = 0
        let scene = try ScriptedScene(configuration)
        let hold = ResponseHold()
        let body = ScriptedResponse.text("0123456789")
            .breaking(afterBytes: 4).holding(afterBytes: 4, until: hold)
        scene.server.respond(to: try scene.url(), with: body)
        async let error = failure(of: scene)
        await hold.waitUntilReached()
        hold.release()
        #expect(await error?.code == .network)
    }

    @Test func `a body of another length than its field says ends as from a real server`()
        async throws
    {
        var configuration = SessionConfiguration.default
        configuration.settings.retries = 0
        let scene = try ScriptedScene(configuration)
        let body = ScriptedResponse.body([UInt8].sample(1000))
        scene.server.respond(to: try scene.url(), with: body.field("Content-Length", "2000"))
        let error = await #expect(throws: DownloadError.self) {
            try await scene.session.data(from: try scene.url())
        }
        #expect(error?.code == .network)
        scene.server.respond(to: try scene.url(), with: body.field("Content-Length", "500"))
        let short = try await scene.session.data(from: try scene.url())
        #expect(short.bytes == Array([UInt8].sample(1000).prefix(500)))
    }

    @Test func `an error status has the scripted text`() async throws {
        let scene = try ScriptedScene()
        scene.server.respond(to: try scene.url(), with: .status(404, text: "gone away"))
        let error = try #require(await failure(of: scene))
        #expect(error.code == .notFound && error.httpStatus == 404)
        var request = DownloadRequest(try scene.url())
        request.acceptsErrorStatuses = true
        let fetched = try await scene.session.data(for: request)
        #expect(try fetched.string() == "gone away" && fetched.response.status == 404)
    }
}
