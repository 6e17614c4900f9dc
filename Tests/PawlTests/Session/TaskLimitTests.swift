import Pawl
import PawlCore
import PawlTesting
import Testing

/// Limits that change while tasks run.
@Suite(.timeLimit(.minutes(5)))
struct TaskLimitTests {
    private let resource = Resource(size: 4 << 20)
    /// So low that a task which obeys it does not end within a test.
    private let crawl: Int64 = 20_000

    @Test func `lifting a task's own limit speeds it up on the same connection`() async throws {
        let scene = try SessionScene(.resource(resource))
        var configuration = scene.configuration
        configuration.settings.limitBytesPerSecond = crawl
        let session = DownloadSession(configuration)
        let task = session.downloadTask(with: try scene.url(), to: scene.target())
        #expect(task.limitBytesPerSecond == crawl)
        task.resume()
        // The first bytes are followed by a pause of seconds at that limit.
        for await progress in task.progress where progress.completedBytes > 0 { break }
        #expect(task.state == .running)
        task.limitBytesPerSecond = nil
        let file = try await task.file
        #expect(file.byteCount == resource.size)
        #expect(try resource.verify(fileAt: file.path) == nil)
        #expect(scene.origin.requests.count == 1)
    }

    @Test func `lifting the session's limit affects running tasks`() async throws {
        let scene = try SessionScene(.resource(resource))
        var configuration = scene.configuration
        configuration.limitBytesPerSecond = crawl
        let session = DownloadSession(configuration)
        let task = session.downloadTask(with: try scene.url(), to: scene.target())
        task.resume()
        for await progress in task.progress where progress.completedBytes > 0 { break }
        session.setLimit(bytesPerSecond: nil)
        #expect(try await task.file.byteCount == resource.size)
        #expect(scene.origin.requests.count == 1)
    }

    @Test func `a limit set later is obeyed`() async throws {
        let latch = Latch()
        let scene = try SessionScene(holding: resource, after: 3_000_000, until: latch)
        let session = DownloadSession(scene.configuration)
        let task = session.downloadTask(with: try scene.url(), to: scene.target())
        task.resume()
        for await progress in task.progress where progress.completedBytes > 2_000_000 { break }
        session.setLimit(bytesPerSecond: 1_000_000)
        let time = SystemTimekeeper()
        let start = time.now()
        latch.release()
        _ = try await task.file
        // 1.2 MB, of which a buffer may be sent ahead.
        #expect((time.now() - start).seconds > 0.4)
    }

    @Test func `each task obeys its own limit`() async throws {
        let scene = try SessionScene(.resource(resource))
        let other = Resource(size: 1 << 20)
        scene.origin.route("/other", .resource(other))
        let session = DownloadSession(scene.configuration)
        let slow = session.downloadTask(with: try scene.url(), to: scene.target())
        slow.limitBytesPerSecond = crawl
        let quick = session.downloadTask(with: try scene.url("/other"), to: scene.target("other"))
        slow.resume()
        for await progress in slow.progress where progress.completedBytes > 0 { break }
        quick.resume()
        #expect(try await quick.file.byteCount == other.size)
        #expect(slow.state == .running)
        slow.cancel()
    }
}
