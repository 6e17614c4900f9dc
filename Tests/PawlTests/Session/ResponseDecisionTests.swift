import Glibc
import Pawl
import PawlCore
import PawlTesting
import Testing

/// A delegate that decides on responses.
@Suite(.timeLimit(.minutes(5)))
struct ResponseDecisionTests {
    private actor Judge: DownloadSessionDelegate {
        private let disposition: ResponseDisposition
        private let gate: Latch?
        private(set) var statuses: [Int] = []
        private(set) var receivedBytes = 0

        init(_ disposition: ResponseDisposition, _ gate: Latch? = nil) {
            (self.disposition, self.gate) = (disposition, gate)
        }

        func session(
            _ session: DownloadSession,
            task: SessionTask,
            didReceive response: DownloadResponse
        ) async -> ResponseDisposition {
            statuses.append(response.status)
            await gate?.pass()
            return disposition
        }

        func session(_ session: DownloadSession, dataTask: DataTask, didReceive data: [UInt8]) {
            receivedBytes += data.count
        }
    }

    /// A small file is complete long before the delegate is asked.
    @Test(arguments: [100, 1 << 20] as [Int64])
    func `a response that is not allowed cancels its task, and leaves no file`(
        size: Int64
    ) async throws {
        let scene = try SessionScene(.resource(Resource(size: size)))
        let judge = Judge(.cancel)
        let session = DownloadSession(scene.configuration, delegate: judge)
        let task = session.downloadTask(with: try scene.url(), to: scene.target())
        task.resume()
        let error = await #expect(throws: DownloadError.self) { try await task.file }
        #expect(error?.code == .cancelled)
        #expect(task.state == .cancelled)
        #expect(await judge.statuses == [200])
        #expect(scene.folder.list() == [])
    }

    @Test(arguments: [100, 1 << 20] as [Int64])
    func `no file gets its name before the delegate has decided`(size: Int64) async throws {
        let resource = Resource(size: size)
        let scene = try SessionScene(.resource(resource))
        let gate = Latch()
        let session = DownloadSession(scene.configuration, delegate: Judge(.allow, gate))
        let task = session.downloadTask(with: try scene.url(), to: scene.target())
        task.resume()
        await gate.waitForArrivals()
        await scene.origin.waitUntil { $0.activeExchanges == 0 }
        #expect(!scene.folder.exists("disk.bin"))
        gate.release()
        #expect(try resource.verify(fileAt: try await task.file.path) == nil)
    }

    /// Pauses each task before it decides.
    private final class Pausing: DownloadSessionDelegate {
        let hasPaused = Observed(false)

        func session(
            _ session: DownloadSession,
            task: SessionTask,
            didReceive response: DownloadResponse
        ) async -> ResponseDisposition {
            await (task as? DownloadTask)?.pause()
            hasPaused.update { $0 = true }
            return .allow
        }
    }

    @Test(arguments: [100, 1 << 20] as [Int64])
    func `a delegate that decides may wait until its task is paused`(size: Int64) async throws {
        let scene = try SessionScene(.resource(Resource(size: size)))
        let delegate = Pausing()
        let session = DownloadSession(scene.configuration, delegate: delegate)
        let task = session.downloadTask(with: try scene.url(), to: scene.target())
        task.resume()
        await delegate.hasPaused.wait { $0 }
        #expect(task.state == .paused)
        #expect(!scene.folder.exists("disk.bin"))
        task.resume()
        #expect(try await task.file.byteCount == size)
    }

    @Test(arguments: [true, false])
    func `a task that is stopped before the delegate has decided leaves no file`(
        isCancelled: Bool
    ) async throws {
        let scene = try SessionScene(.resource(Resource(size: 100)))
        let gate = Latch()
        let session = DownloadSession(scene.configuration, delegate: Judge(.allow, gate))
        let task = session.downloadTask(with: try scene.url(), to: scene.target())
        task.resume()
        await gate.waitForArrivals()
        await scene.origin.waitUntil { $0.activeExchanges == 0 }
        if isCancelled { task.cancel() } else { task.askToPause() }
        gate.release()
        await task.pause()
        #expect(task.state == (isCancelled ? .cancelled : .paused))
        #expect(!scene.folder.exists("disk.bin"))
        guard !isCancelled else { return }
        task.resume()
        #expect(try await task.file.path == scene.folder.path("disk.bin"))
    }

    @Test func `a response that is not allowed cancels a task whose file is there already`()
        async throws
    {
        let resource = Resource(size: 100_000)
        let scene = try SessionScene(.resource(resource))
        _ = try await DownloadSession(scene.configuration).download(
            try scene.url(),
            to: scene.target()
        )
        let session = DownloadSession(scene.configuration, delegate: Judge(.cancel))
        let task = session.downloadTask(with: try scene.url(), to: scene.target())
        task.resume()
        let error = await #expect(throws: DownloadError.self) { try await task.file }
        #expect(error?.code == .cancelled)
        #expect(try resource.verify(fileAt: scene.folder.path("disk.bin")) == nil)
        #expect(scene.folder.list() == ["disk.bin"])
    }

    @Test func `a data task is cancelled before its bytes are delivered`() async throws {
        let scene = try SessionScene(.resource(Resource(size: 1 << 20)))
        let gate = Latch()
        let judge = Judge(.cancel, gate)
        let session = DownloadSession(scene.configuration, delegate: judge)
        let task = session.dataTask(with: try scene.url())
        task.resume()
        await gate.waitForArrivals()
        // The first bytes wait to be delivered.
        while task.currentProgress.completedBytes == 0, !Task.isCancelled { await Task.yield() }
        gate.release()
        for await _ in task.events {}
        #expect(await judge.receivedBytes == 0)
        let error = await #expect(throws: DownloadError.self) { try await task.data }
        #expect(error?.code == .cancelled)
    }

    @MainActor
    private final class Window: DownloadSessionDelegate {
        private(set) var paths: [String] = []

        func session(
            _ session: DownloadSession,
            downloadTask: DownloadTask,
            didFinishDownloadingTo file: DownloadedFile
        ) {
            MainActor.assertIsolated()
            paths.append(file.path)
        }
    }

    @Test func `a delegate of the main actor is called on it`() async throws {
        let scene = try SessionScene(.resource(Resource(size: 1000)))
        let window = await MainActor.run { Window() }
        let session = DownloadSession(scene.configuration, delegate: window)
        let task = session.downloadTask(with: try scene.url(), to: scene.target())
        let events = task.events
        task.resume()
        for await _ in events {}
        #expect(await window.paths == [scene.folder.path("disk.bin")])
    }
}
