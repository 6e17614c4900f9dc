import Glibc
import Pawl
import PawlCore
import PawlTesting
import Testing

/// The contract's rows on the delegate.
@Suite(.timeLimit(.minutes(5)))
struct DelegateTests {
    private let resource = Resource(size: 1 << 20)

    @Test
    func `didFinishDownloadingToURL precedes didCompleteWithError, each called once`()
        async throws
    {
        let scene = try SessionScene(.resource(resource))
        let delegate = RecordingDelegate()
        let session = DownloadSession(scene.configuration, delegate: delegate)
        session.downloadTask(with: try scene.url(), to: scene.target()).resume()
        let calls = await delegate.allCalls()
        let path = scene.folder.path("disk.bin")
        let ends = calls.filter {
            switch $0 {
            case .finished, .completed: true
            default: false
            }
        }
        #expect(ends == [.finished(path, bytes: resource.size), .completed(nil)])
        #expect(calls.first == .answered(200))
        #expect(calls.last == .completed(nil))
        #expect(try resource.verify(fileAt: path) == nil)
    }

    @Test func `didWriteData adds up to the whole file and reports its total size`() async throws {
        let latch = Latch()
        let scene = try SessionScene(holding: resource, until: latch)
        let delegate = RecordingDelegate()
        let session = DownloadSession(scene.configuration, delegate: delegate)
        session.downloadTask(with: try scene.url(), to: scene.target()).resume()
        await delegate.calls.wait { $0.contains { if case .wrote = $0 { true } else { false } } }
        latch.release()
        var sum: Int64 = 0
        var count = 0
        for case .wrote(let bytes, let total, let expected) in await delegate.allCalls() {
            sum += bytes
            count += 1
            #expect(bytes > 0)
            #expect(total == sum)
            #expect(expected == resource.size)
        }
        #expect(sum == resource.size)
        #expect(count >= 2)
    }

    @Test func `didResumeAtOffset reports the true offset`() async throws {
        let latch = Latch()
        let scene = try SessionScene(holding: resource, until: latch)
        let delegate = RecordingDelegate()
        let session = DownloadSession(scene.configuration, delegate: delegate)
        let task = session.downloadTask(with: try scene.url(), to: scene.target())
        task.resume()
        await latch.waitForArrivals()
        await waitForBytes(400_000, of: task)
        await task.pause()
        await scene.origin.waitForQuiet()
        scene.origin.route("/disk.bin", .resource(resource))
        task.resume()
        let calls = await delegate.allCalls()
        let offsets = calls.filter { if case .resumed = $0 { true } else { false } }
        #expect(offsets == [.resumed(offset: 400_000, expected: resource.size)])
        #expect(try resource.verify(fileAt: scene.folder.path("disk.bin")) == nil)
        #expect(scene.origin.requests.last?.range?.first == 400_000)
    }

    @Test func `a temporary file is removed after the delegate unless it was moved`() async throws {
        let scene = try SessionScene(.resource(resource))
        let kept = scene.folder.path("kept.bin")
        for moves in [true, false] {
            let delegate = RecordingDelegate { file in
                #expect(access(file.path, F_OK) == 0)
                if moves { rename(file.path, kept) }
            }
            let session = DownloadSession(scene.configuration, delegate: delegate)
            session.downloadTask(with: try scene.url()).resume()
            guard case .finished(let path, _) = await delegate.allCalls().dropLast(2).last else {
                Issue.record("no file")
                return
            }
            try await ScratchFolder.wait(untilGone: path)
            #expect(access(path, F_OK) != 0)
            session.finishTasksAndInvalidate()
        }
        #expect(try resource.verify(fileAt: kept) == nil)
    }

    @Test func `an awaited temporary file remains until the session ends`() async throws {
        let scene = try SessionScene(.resource(resource))
        let delegate = RecordingDelegate()
        var path = ""
        do {
            let session = DownloadSession(scene.configuration, delegate: delegate)
            path = try await session.download(try scene.url()).path
            #expect(try resource.verify(fileAt: path) == nil)
            session.finishTasksAndInvalidate()
            await delegate.allCalls(.invalid)
            #expect(try resource.verify(fileAt: path) == nil)
        }
        try await ScratchFolder.wait(untilGone: path)
        #expect(access(path, F_OK) != 0)
    }

    @Test func `a block and a delegate are both called`() async throws {
        let scene = try SessionScene(.resource(resource))
        let delegate = RecordingDelegate()
        let session = DownloadSession(scene.configuration, delegate: delegate)
        let blocks = Observed<[Int64]>([])
        let task = session.downloadTask(with: try scene.url(), to: scene.target()) { result in
            blocks.update { $0.append((try? result.get().byteCount) ?? -1) }
        }
        task.resume()
        session.finishTasksAndInvalidate()
        // No call follows the invalidation.
        let calls = await delegate.allCalls(.invalid)
        #expect(calls.count { if case .finished = $0 { true } else { false } } == 1)
        #expect(blocks.value == [resource.size])
    }

    @Test func `a failure is reported with its error and no file`() async throws {
        let scene = try SessionScene(.status(404))
        let delegate = RecordingDelegate()
        let session = DownloadSession(scene.configuration, delegate: delegate)
        session.downloadTask(with: try scene.url(), to: scene.target()).resume()
        let calls = await delegate.allCalls(.completed(.notFound))
        #expect(!calls.contains { if case .finished = $0 { true } else { false } })
        #expect(scene.folder.list().isEmpty)
    }

    @Test func `a cancelled task is reported once`() async throws {
        let latch = Latch()
        let scene = try SessionScene(holding: resource, after: 1000, until: latch)
        let delegate = RecordingDelegate()
        let session = DownloadSession(scene.configuration, delegate: delegate)
        let task = session.downloadTask(with: try scene.url(), to: scene.target())
        task.resume()
        await latch.waitForArrivals()
        task.cancel()
        task.cancel()
        session.finishTasksAndInvalidate()
        let calls = await delegate.allCalls(.invalid)
        #expect(calls.suffix(2) == [.completed(.cancelled), .invalid])
        #expect(calls.count { $0 == .completed(.cancelled) } == 1)
        #expect(scene.folder.list().isEmpty)
        // The session releases its delegate after the last call has returned.
        while session.delegate != nil, !Task.isCancelled { await Task.yield() }
        #expect(session.delegate == nil)
    }

    @MainActor
    @Test func `callbacks run on an executor of the caller's choice`() async throws {
        let scene = try SessionScene(.resource(resource))
        let isOnMain = Observed(false)
        let delegate = RecordingDelegate { _ in
            MainActor.assertIsolated()
            isOnMain.update { $0 = true }
        }
        var configuration = scene.configuration
        configuration.delegateExecutor = .mainActor
        let session = DownloadSession(configuration, delegate: delegate)
        session.downloadTask(with: try scene.url(), to: scene.target()).resume()
        await isOnMain.wait { $0 }
    }
}
