import Foundation
import Pawl
import PawlCore
import PawlFoundation
import PawlTesting
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5)))
struct TaskProgressTests {
    private let resource = Resource(size: 1 << 20)

    /// Waits until a condition holds, which is checked whenever the task's progress is read.
    private func wait(until isMet: @escaping @Sendable () -> Bool) async {
        while !isMet(), !Task.isCancelled { await Task.yield() }
    }

    @Test func `the units are bytes, and the last one counts at the end`() async throws {
        let latch = Latch()
        let scene = try FoundationScene(
            .resource(resource).holdAfterBytes(600_000, until: latch)
        )
        let task = scene.session.downloadTask(
            with: try scene.url(),
            to: try .file(scene.target())
        )
        let progress = task.foundationProgress()
        #expect(progress.isIndeterminate && progress.totalUnitCount == -1)
        #expect(progress.kind == .file && progress.isCancellable && progress.isPausable)
        task.resume()
        await latch.waitForArrivals()
        await wait { progress.completedUnitCount > 0 && progress.fileURL != nil }
        #expect(progress.totalUnitCount == 1 << 20)
        #expect(!progress.isFinished && progress.fractionCompleted < 0.7)
        #expect(progress.fileURL?.lastPathComponent == "disk.bin")
        latch.release()
        _ = try await task.file
        await wait { progress.isFinished }
        #expect(progress.completedUnitCount == 1 << 20 && progress.fractionCompleted == 1)
        #expect(progress.fileURL == scene.target())
    }

    @Test func `speed and time left are known while bytes arrive`() async throws {
        let scene = try FoundationScene(.resource(Resource(size: 64 << 20)).rate(2_000_000))
        let task = scene.session.downloadTask(
            with: try scene.url(),
            to: try .file(scene.target())
        )
        let progress = task.foundationProgress()
        task.resume()
        await wait { progress.throughput != nil && progress.estimatedTimeRemaining != nil }
        #expect(progress.throughput ?? 0 > 0)
        #expect(progress.estimatedTimeRemaining ?? 0 > 0)
        let kind = progress.userInfo[.fileOperationKindKey] as? Progress.FileOperationKind
        #expect(kind == .downloading)
        progress.cancel()
        await #expect(throws: DownloadError.self) { try await task.file }
        #expect(task.state == .cancelled && progress.isCancelled)
    }

    @Test func `pause, resume and cancel act on the task`() async throws {
        let scene = try FoundationScene(
            .resource(resource).holdAfterBytes(100_000, until: Latch())
        )
        let task = scene.session.downloadTask(
            with: try scene.url(),
            to: try .file(scene.target())
        )
        let progress = task.foundationProgress()
        #expect(progress.isPaused)
        progress.resume()
        await scene.origin.waitForRequests(1)
        #expect(!progress.isPaused)
        progress.pause()
        await wait { task.state == .paused }
        #expect(progress.isPaused)
        scene.origin.route("/disk.bin", .resource(resource))
        progress.resume()
        let file = try await task.file
        #expect(file.byteCount == resource.size)
        await wait { progress.isFinished }
        #expect(!progress.isPaused)
    }

    @Test func `a pause and a resume in a row end with the last`() async throws {
        let scene = try FoundationScene(
            .resource(resource).holdAfterBytes(100_000, until: Latch())
        )
        let task = scene.session.downloadTask(
            with: try scene.url(),
            to: try .file(scene.target())
        )
        let progress = task.foundationProgress()
        task.resume()
        await scene.origin.waitForRequests(1)
        scene.origin.route("/disk.bin", .resource(resource))
        for _ in 0..<20 {
            progress.resume()
            progress.pause()
        }
        await wait { task.state == .paused }
        for _ in 0..<20 {
            progress.pause()
            progress.resume()
        }
        #expect(try await task.file.byteCount == resource.size)
    }

    @Test func `the task's own pause and cancellation are shown`() async throws {
        let scene = try FoundationScene(
            .resource(resource).holdAfterBytes(100_000, until: Latch())
        )
        let task = scene.session.dataTask(with: try scene.url())
        let progress = task.foundationProgress()
        task.resume()
        await wait { !progress.isPaused }
        task.suspend()
        await wait { progress.isPaused }
        #expect(task.state == .suspended)
        task.cancel()
        await wait { progress.isCancelled }
        #expect(!progress.isFinished)
    }

    @Test func `children of one parent are counted exactly`() async throws {
        let scene = try FoundationScene(.resource(Resource(size: 30_000)))
        let count = 40
        let parent = Progress(totalUnitCount: Int64(count))
        let url = try scene.url()
        let tasks = try (0..<count).map { number in
            scene.session.downloadTask(with: url, to: try .file(scene.target("\(number).bin")))
        }
        for task in tasks { parent.addChild(task.foundationProgress(), withPendingUnitCount: 1) }
        for task in tasks { task.resume() }
        for task in tasks { _ = try await task.file }
        await wait { parent.isFinished }
        #expect(parent.completedUnitCount == Int64(count) && parent.fractionCompleted == 1)
    }

    @Test func `a parent's cancellation reaches the tasks`() async throws {
        let scene = try FoundationScene(.never)
        let parent = Progress(totalUnitCount: 1)
        let task = scene.session.dataTask(with: try scene.url())
        parent.addChild(task.foundationProgress(), withPendingUnitCount: 1)
        task.resume()
        await scene.origin.waitForRequests(1)
        parent.cancel()
        await #expect(throws: DownloadError.self) { try await task.data }
        #expect(task.state == .cancelled)
    }

    @Test func `an empty file is finished, too`() async throws {
        let scene = try FoundationScene(.resource(Resource(bytes: [])))
        let task = scene.session.downloadTask(
            with: try scene.url(),
            to: try .file(scene.target())
        )
        let progress = task.foundationProgress()
        task.resume()
        _ = try await task.file
        await wait { progress.isFinished }
        #expect(progress.fractionCompleted == 1)
    }

    @Test func `a released object does not live on`() async throws {
        let scene = try FoundationScene(.resource(resource))
        weak var released: TaskProgress?
        let task = scene.session.downloadTask(with: try scene.url())
        do {
            let progress = task.foundationProgress()
            released = progress
            #expect(progress.totalUnitCount == -1)
        }
        while released != nil, !Task.isCancelled { await Task.yield() }
        #expect(released == nil && task.state == .suspended)
    }
}
