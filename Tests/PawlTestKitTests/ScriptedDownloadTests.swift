import Pawl
import PawlCore
import PawlTestKit
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ScriptedDownloadTests {
    private let bytes = [UInt8].sample(1_000_000)

    @Test func `a download stores the scripted bytes, and its request is recorded`() async throws {
        let scene = try ScriptedScene()
        scene.server.respond(to: try scene.url(), with: .body(bytes))
        let file = try await scene.download()
        #expect(file.byteCount == 1_000_000 && file.isLengthVerified)
        try scene.expectFile(bytes)
        let request = try #require(scene.server.requests.first)
        #expect(scene.server.requests.count == 1)
        #expect(request.method == "GET" && request.number == 1)
        #expect(request.url == (try scene.url()))
        #expect(request["accept-encoding"] == "identity" && request["Range"] == nil)
        #expect(request["User-Agent"]?.hasPrefix("pawl/") == true)
    }

    @Test func `a download resumes where its connection broke`() async throws {
        let scene = try ScriptedScene()
        let broken = ScriptedResponse.body(bytes).breaking(afterBytes: 400_000)
        scene.server.respond(to: try scene.url(), with: broken, .body(bytes))
        try await scene.download()
        try scene.expectFile(bytes)
        #expect(scene.server.requests.map { $0["Range"] } == [nil, "bytes=400000-999999"])
    }

    @Test func `without ranges a broken download starts over`() async throws {
        let scene = try ScriptedScene()
        let broken = ScriptedResponse.body(bytes).breaking(afterBytes: 400_000)
        let responses = [broken, .body(bytes)].map { $0.ignoringRanges() }
        scene.server.respond(to: try scene.url(), with: responses[0], responses[1])
        try await scene.download()
        try scene.expectFile(bytes)
        #expect(scene.server.requests.count == 2)
    }

    /// Runs a download up to 300,000 bytes, and cancels it.
    private func interrupted(_ scene: ScriptedScene) async throws -> ResumeData? {
        let hold = ResponseHold()
        let held = ScriptedResponse.body(bytes).holding(afterBytes: 300_000, until: hold)
        scene.server.respond(to: try scene.url(), with: held)
        let task = scene.session.downloadTask(
            with: try scene.url(),
            to: .directory(scene.folder.path)
        )
        task.resume()
        await hold.waitUntilReached()
        #expect(task.currentProgress.completedBytes == 300_000)
        return await task.cancelByProducingResumeData()
    }

    @Test func `resume data of a held download are resumed in another session`() async throws {
        let scene = try ScriptedScene()
        let data = try #require(await interrupted(scene))
        #expect(data.receivedBytes == 300_000)
        scene.server.respond(to: try scene.url(), with: .body(bytes))
        _ = try await ScriptedScene.session(by: scene.server).download(resuming: data)
        try scene.expectFile(bytes)
        #expect(scene.server.requests.last?["Range"]?.hasPrefix("bytes=300000-") == true)
    }

    @Test func `another version of the file makes the download start over`() async throws {
        let scene = try ScriptedScene()
        let data = try #require(await interrupted(scene))
        let changed = [UInt8].sample(1_000_000, seed: 2)
        scene.server.respond(to: try scene.url(), with: .body(changed))
        let task = try ScriptedScene.session(by: scene.server).downloadTask(withResumeData: data)
        let events = task.events
        task.resume()
        _ = try await task.file
        try scene.expectFile(changed)
        var restarts = 0
        for await case .startedOver in events { restarts += 1 }
        #expect(restarts == 1)
    }

    @Test func `a held download that is cancelled ends`() async throws {
        let scene = try ScriptedScene()
        let hold = ResponseHold()
        scene.server.respond(to: try scene.url(), with: .body(bytes).holding(until: hold))
        let task = scene.session.downloadTask(
            with: try scene.url(),
            to: .directory(scene.folder.path)
        )
        task.resume()
        await hold.waitUntilReached()
        scene.session.invalidateAndCancel()
        let error = await #expect(throws: DownloadError.self) { try await task.file }
        #expect(error?.code == .cancelled)
        #expect(scene.folder.list().isEmpty)
    }

    @Test func `a released download continues`() async throws {
        let scene = try ScriptedScene()
        let (first, second) = (ResponseHold(), ResponseHold())
        let held = ScriptedResponse.body(bytes)
            .holding(until: first).holding(afterBytes: 1_000_000, until: second)
        scene.server.respond(to: try scene.url(), with: held)
        async let file = scene.download()
        await first.waitUntilReached()
        first.release()
        await second.waitUntilReached()
        second.release()
        #expect(try await file.byteCount == 1_000_000)
        #expect(await scene.server.waitForRequests(1).count == 1)
    }

    @Test func `a response that stalls is requested again`() async throws {
        var configuration = SessionConfiguration.default
        configuration.settings.stallTimeout = .seconds(60)
        let scene = try ScriptedScene(configuration, server: ScriptedServer(clockSpeed: 100))
        let stalled = ScriptedResponse.body(bytes)
            .holding(afterBytes: 200_000, until: ResponseHold())
        scene.server.respond(to: try scene.url(), with: stalled, .body(bytes))
        try await scene.download()
        try scene.expectFile(bytes)
        #expect(scene.server.requests.count >= 2)
    }

    @Test func `a faster clock shortens the wait that the server demands`() async throws {
        var configuration = SessionConfiguration.default
        configuration.settings.stallTimeout = .seconds(10_000)
        let scene = try ScriptedScene(configuration, server: ScriptedServer(clockSpeed: 1_000))
        let busy = ScriptedResponse.status(503).field("Retry-After", "120")
        scene.server.respond(to: try scene.url(), with: busy, .body(bytes))
        let start = ContinuousClock.now
        try await scene.download()
        #expect(ContinuousClock.now - start < .seconds(50))
        try scene.expectFile(bytes)
    }

    @Test func `a limit on the speed pauses the response`() async throws {
        var configuration = SessionConfiguration.default
        configuration.limitBytesPerSecond = 100_000
        configuration.settings.stallTimeout = .seconds(10_000)
        let scene = try ScriptedScene(configuration, server: ScriptedServer(clockSpeed: 20))
        scene.server.respond(to: try scene.url(), with: .body(bytes))
        let start = ContinuousClock.now
        try await scene.download()
        #expect(ContinuousClock.now - start > .milliseconds(100))
        try scene.expectFile(bytes)
        #expect(scene.server.requests.count == 1)
    }

    @Test func `a background session downloads in this process`() async throws {
        let scene = try ScriptedScene(.background(identifier: "scripted"))
        scene.server.respond(to: try scene.url(), with: .body(bytes))
        try await scene.download()
        try scene.expectFile(bytes)
        #expect(await scene.session.allTasks.isEmpty)
    }
}
