import struct FoundationEssentials.Date
import Pawl
import PawlCore
import PawlTesting
import Testing

/// "`task.resumability` at any time", even before a run has started and after one that received
/// nothing.
@Suite(.timeLimit(.minutes(5)))
struct TaskResumabilityTests {
    private let resource = Resource(size: 1 << 20)
    /// The same resource, which is also the response to a POST.
    private var posted: Resource {
        var posted = resource
        posted.methods = ["POST"]
        return posted
    }

    private static let held = SessionScene.held

    private func begin(_ scene: SessionScene) async throws -> DownloadTask {
        let task = DownloadSession(scene.configuration)
            .downloadTask(with: try scene.url(), to: scene.target())
        #expect(task.resumability == .notResumable(.nothingReceived))
        task.resume()
        await waitForBytes(Self.held, of: task)
        #expect(task.resumability == .resumable(from: Self.held))
        return task
    }

    @Test func `an unstarted task returns the resume data it was made with`() async throws {
        let scene = try SessionScene(holding: resource)
        let data = try #require(try await begin(scene).cancelByProducingResumeData())
        let session = DownloadSession(scene.configuration)
        for begins in [false, true] {
            let task = try session.downloadTask(withResumeData: data)
            // Nothing runs before that date.
            if begins { task.earliestBeginDate = .distantFuture }
            if begins { task.resume() }
            #expect(task.resumability == .resumable(from: Self.held))
            #expect(await task.cancelByProducingResumeData() == data)
            #expect(task.error?.resumeData == data)
        }
    }

    @Test func `if another task holds the file, the error has the resume data`() async throws {
        let scene = try SessionScene(holding: resource)
        let data = try #require(try await begin(scene).cancelByProducingResumeData())
        await scene.origin.waitForQuiet()
        let session = DownloadSession(scene.configuration)
        let first = try session.downloadTask(withResumeData: data)
        first.resume()
        // A task that sends a request holds the file.
        while scene.origin.requests.count < 2, !Task.isCancelled { await Task.yield() }
        let task = try session.downloadTask(withResumeData: data)
        task.resume()
        let error = await #expect(throws: DownloadError.self) { try await task.file }
        #expect(error?.code == .alreadyRunning)
        #expect(error?.resumeData == data && error?.resumeObstacle == nil)
        first.cancel()
    }

    @Test func `a request other than GET is never resumable`() async throws {
        let scene = try SessionScene(Reply.resource(posted).afterBytes(100_000, .reset))
        var request = DownloadRequest(try scene.url())
        request.method = "POST"
        request.body = Array("a=1".utf8)
        let task = DownloadSession(scene.configuration).downloadTask(with: request)
        #expect(task.resumability == .notResumable(.notGET))
        task.resume()
        let error = await #expect(throws: DownloadError.self) { try await task.file }
        #expect(error?.resumeData == nil && error?.resumeObstacle == .notGET)
        #expect(scene.origin.requests.map(\.body) == [request.body])
    }

    @Test func `the response to a POST is downloaded`() async throws {
        let scene = try SessionScene(.resource(posted))
        var request = DownloadRequest(try scene.url())
        request.method = "POST"
        let session = DownloadSession(scene.configuration)
        let file = try await session.download(request, to: scene.target())
        #expect(try resource.verify(fileAt: file.path) == nil)
        #expect(scene.origin.requests.map(\.method) == ["POST"])
    }
}
