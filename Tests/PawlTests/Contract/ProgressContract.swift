import Pawl
import PawlCore
import PawlTesting
import Testing

@Suite("Contract: progress", .timeLimit(.minutes(5)))
struct ProgressContract {
    private let resource = Resource(size: 1 << 20)

    private func writes(_ calls: [RecordingDelegate.Call]) -> [(Int64, Int64, Int64?)] {
        calls.compactMap {
            if case .wrote(let count, let total, let expected) = $0 {
                (count, total, expected)
            } else {
                nil
            }
        }
    }

    @Test("didWriteData:totalBytesWritten:totalBytesExpectedToWrite:")
    func didWriteData() async throws {
        let scene = try SessionScene(.resource(resource))
        let delegate = RecordingDelegate()
        let session = DownloadSession(scene.configuration, delegate: delegate)
        session.downloadTask(with: try scene.url(), to: scene.target()).resume()
        var sum: Int64 = 0
        for (count, total, expected) in writes(await delegate.allCalls()) {
            sum += count
            #expect(count > 0 && total == sum && expected == resource.size)
        }
        #expect(sum == resource.size)
    }

    @Test("adding up bytesWritten")
    func addingUp() async throws {
        let held = SessionScene.held
        let scene = try SessionScene(holding: resource)
        let delegate = RecordingDelegate()
        let session = DownloadSession(scene.configuration, delegate: delegate)
        let task = try await scene.start(in: session, reaching: held)
        await task.pause()
        await scene.origin.waitForQuiet()
        let other = Resource(size: 700_000, seed: 2)
        scene.origin.route("/disk.bin", .resource(other).holdAfterBytes(held, until: Latch()))
        task.resume()
        await delegate.calls.wait { $0.contains(.startedOver(discarded: held)) }
        await waitForBytes(held, of: task)
        await task.pause()
        await scene.origin.waitForQuiet()
        scene.origin.route("/disk.bin", .resource(other))
        task.resume()
        var sum: Int64 = 0
        for call in await delegate.allCalls() {
            switch call {
            case .resumed(let offset, _): sum = offset
            case .startedOver: sum = 0
            case .wrote(let count, let total, _):
                sum += count
                #expect(sum == total)
            default: break
            }
        }
        #expect(sum == other.size)
    }

    @Test("progress: newest wins, many readers, monotonic, correct before the first byte")
    func readers() async throws {
        let scene = try SessionScene(holding: resource)
        let before = try await scene.start(
            in: DownloadSession(scene.configuration),
            reaching: 400_000
        )
        _ = await before.cancelByProducingResumeData()
        await scene.origin.waitForQuiet()

        // As after a relaunch: another session, and a server that does not answer yet.
        let latch = Latch()
        scene.origin.route("/disk.bin", .resource(resource).holdAfterBytes(0, until: latch))
        let task = try await scene.start(
            in: DownloadSession(scene.configuration),
            reaching: 400_000
        )
        #expect(task.currentProgress.completedBytes == 400_000)
        #expect(task.currentProgress.totalBytes == resource.size)
        latch.release()
        let seen = await withTaskGroup(of: [Int64].self) { group in
            for _ in 0..<3 {
                group.addTask {
                    await task.progress.reduce(into: []) { $0.append($1.completedBytes) }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(seen.count == 3)
        for bytes in seen {
            #expect(bytes == bytes.sorted() && bytes.last == resource.size)
            #expect(bytes.first ?? 0 >= 400_000)
        }
    }

    @Test("didResumeAtOffset:expectedTotalBytes:")
    func didResumeAtOffset() async throws {
        let latch = Latch()
        let scene = try SessionScene(holding: resource, until: latch)
        let delegate = RecordingDelegate()
        let session = DownloadSession(scene.configuration, delegate: delegate)
        let task = try await scene.start(in: session, reaching: 400_000)
        await task.pause()
        await scene.origin.waitForQuiet()
        scene.origin.route("/disk.bin", .resource(resource))
        task.resume()
        let calls = await delegate.allCalls()
        #expect(calls.contains(.resumed(offset: 400_000, expected: resource.size)))
    }

    @Test("didFinishDownloadingToURL:, didCompleteWithError:")
    func finishAndComplete() async throws {
        let scene = try SessionScene(.resource(resource))
        scene.origin.route("/gone", .status(404))
        let delegate = RecordingDelegate()
        let session = DownloadSession(scene.configuration, delegate: delegate)
        session.downloadTask(with: try scene.url(), to: scene.target()).resume()
        _ = await delegate.allCalls()
        session.downloadTask(with: try scene.url("/gone"), to: scene.target("gone")).resume()
        session.finishTasksAndInvalidate()
        let ends = await delegate.allCalls(.invalid).filter {
            switch $0 {
            case .finished, .completed: true
            default: false
            }
        }
        let file = scene.folder.path("disk.bin")
        #expect(
            ends == [.finished(file, bytes: resource.size), .completed(nil), .completed(.notFound)]
        )
    }

    private actor Screen {
        var files: [String] = []
    }

    private final class ScreenDelegate: DownloadSessionDelegate {
        let screen: Screen

        init(_ screen: Screen) { self.screen = screen }

        func session(
            _ session: DownloadSession,
            downloadTask: DownloadTask,
            didFinishDownloadingTo file: DownloadedFile
        ) {
            // Ends the process if it is called on another executor.
            screen.assumeIsolated { $0.files.append(file.path) }
        }
    }

    @Test("Callbacks on a chosen queue; UI only on the main one")
    func chosenExecutor() async throws {
        let scene = try SessionScene(.resource(resource))
        let screen = Screen()
        var configuration = scene.configuration
        configuration.delegateExecutor = .actor(screen)
        let session = DownloadSession(configuration, delegate: ScreenDelegate(screen))
        let ended = Observed(false)
        let task = session.downloadTask(with: try scene.url(), to: scene.target()) { _ in
            screen.assumeIsolated { #expect($0.files.count == 1) }
            ended.update { $0 = true }
        }
        task.resume()
        await ended.wait { $0 }
        #expect(await screen.files == [scene.folder.path("disk.bin")])
    }

    @Test("A block and a delegate both set: the block wins silently")
    func blockAndDelegate() async throws {
        let scene = try SessionScene(.resource(resource))
        let delegate = RecordingDelegate()
        let session = DownloadSession(scene.configuration, delegate: delegate)
        let blocks = Observed(0)
        session.downloadTask(with: try scene.url(), to: scene.target()) { _ in
            blocks.update { $0 += 1 }
        }.resume()
        session.finishTasksAndInvalidate()
        // No call follows the invalidation.
        let calls = await delegate.allCalls(.invalid)
        let file = scene.folder.path("disk.bin")
        #expect(calls.count { $0 == .finished(file, bytes: resource.size) } == 1)
        #expect(calls.count { $0 == .completed(nil) } == 1)
        #expect(blocks.value == 1)
    }

    @Test("UIProgressView, label")
    func whatIsShown() async throws {
        let scene = try SessionScene(.resource(Resource(size: 200 << 20)).rate(1 << 20))
        let session = DownloadSession(scene.configuration)
        let task = session.downloadTask(with: try scene.url(), to: scene.target())
        task.resume()
        var shown: DownloadProgress?
        for await progress in task.progress where progress.bytesPerSecond > 0 {
            shown = progress
            break
        }
        task.cancel()
        let progress = try #require(shown)
        #expect(progress.phase == .receiving && progress.connections == 1)
        #expect(progress.segments.map(\.range) == [0..<(200 << 20)])
        #expect(progress.segments.first?.completedBytes == progress.completedBytes)
        #expect(progress.name == "disk.bin" && progress.completedBytes > 0)
        let fraction = try #require(progress.fraction)
        #expect(fraction > 0 && fraction < 1)
        #expect(progress.timeLeft ?? .zero > .zero)
    }
}
