import struct FoundationEssentials.CocoaError
import struct FoundationEssentials.Date
import class FoundationEssentials.FileManager
import Glibc
import Pawl
import PawlCore
import PawlTesting
import Testing

private struct Refused: Error {}

/// The contract's rows on tasks.
@Suite(.timeLimit(.minutes(5)))
struct TaskTests {
    private let resource = Resource(size: 1 << 20)

    @Test func `a task does not start until resume`() async throws {
        let scene = try SessionScene(.resource(resource))
        let session = DownloadSession(scene.configuration)
        let task = session.downloadTask(with: try scene.url(), to: scene.target())
        let other = session.downloadTask(with: try scene.url(), to: scene.target("other.bin"))
        #expect(task.state == .suspended)
        other.resume()
        _ = try await other.file
        #expect(scene.origin.requests.count == 1)
        #expect(session.currentTasks.map(\.taskIdentifier) == [task.taskIdentifier])
        task.resume()
        #expect(try await task.file.byteCount == resource.size)
        #expect(task.state == .finished)
        #expect(session.currentTasks.isEmpty)
    }

    @Test func `tasks and sessions are equal only to themselves`() async throws {
        let scene = try SessionScene(.resource(resource))
        let session = DownloadSession(scene.configuration)
        let tasks: [SessionTask] = [
            session.downloadTask(with: try scene.url(), to: scene.target()),
            session.downloadTask(with: try scene.url(), to: scene.target()),
            session.dataTask(with: try scene.url()),
        ]
        #expect(Set(tasks + tasks).count == 3)
        #expect(tasks[0] != tasks[1] && tasks[0] == tasks[0])
        #expect(await session.allTasks.firstIndex(of: tasks[1]) == 1)
        #expect(Set([session, DownloadSession(scene.configuration), tasks[2].session]).count == 2)
        #expect(await !tasks[0].session.downloadTasks[0].waitForHandover())
        session.invalidateAndCancel()
    }

    @Test func `the convenience methods start their task`() async throws {
        let scene = try SessionScene(.resource(resource))
        let file = try await DownloadSession(scene.configuration).download(
            try scene.url(),
            to: scene.target()
        )
        #expect(try resource.verify(fileAt: file.path) == nil)
    }

    @Test func `suspend keeps the connection, and resume continues on it`() async throws {
        let latch = Latch()
        let scene = try SessionScene(holding: resource, until: latch)
        let session = DownloadSession(scene.configuration)
        let task = try await scene.start(in: session, reaching: 400_000)
        task.suspend()
        #expect(task.state == .suspended)
        latch.release()
        await scene.origin.waitUntil { $0.bodyBytesSent > 400_000 }
        #expect(await settledBytes(of: task) < resource.size)
        task.resume()
        _ = try await task.file
        #expect(scene.origin.requests.count == 1)
        #expect(try resource.verify(fileAt: scene.folder.path("disk.bin")) == nil)
    }

    @Test func `a long suspension becomes a pause that needs no connection`() async throws {
        let latch = Latch()
        let reply = Reply.resource(resource).rate(1 << 20)
        let scene = try SessionScene(reply.holdAfterBytes(500_000, until: latch))
        var configuration = scene.configuration
        configuration.suspensionLimit = .milliseconds(200)
        let session = DownloadSession(configuration)
        let task = try await scene.start(in: session, reaching: 100_000)
        task.suspend()
        while task.state == .suspended, !Task.isCancelled { await Task.yield() }
        #expect(task.state == .paused)
        latch.release()
        await scene.origin.waitForQuiet()
        try await waitForPartialFile(in: scene)
        task.resume()
        _ = try await task.file
        #expect(scene.origin.requests.count == 2)
        #expect((scene.origin.requests.last?.range?.first ?? 0) >= 100_000)
    }

    /// Waits for the files that a pause keeps; they appear soon.
    private func waitForPartialFile(in scene: SessionScene) async throws {
        let names = ["disk.bin.part", "disk.bin.part.pawl"]
        try await scene.folder.wait { $0.list() == names }
        #expect(scene.folder.list() == names)
    }

    @Test func `cancel keeps nothing`() async throws {
        let latch = Latch()
        let scene = try SessionScene(holding: resource, until: latch)
        let session = DownloadSession(scene.configuration)
        for isPaused in [true, false] {
            let task = try await scene.start(in: session, reaching: 400_000)
            if isPaused {
                await task.pause()
                try await waitForPartialFile(in: scene)
            }
            task.cancel()
            let error = await #expect(throws: DownloadError.self) { try await task.file }
            #expect(error?.code == .cancelled)
            #expect(task.state == .cancelled)
            #expect(scene.folder.list().isEmpty)
        }
    }

    @Test func `cancelling the awaiting task pauses the download and keeps its bytes`() async throws
    {
        let latch = Latch()
        let scene = try SessionScene(holding: resource, until: latch)
        let session = DownloadSession(scene.configuration)
        let task = session.downloadTask(with: try scene.url(), to: scene.target())
        task.resume()
        let waiting = Task { try await task.file }
        await waitForBytes(400_000, of: task)
        waiting.cancel()
        let error = await #expect(throws: DownloadError.self) { try await waiting.value }
        #expect(error?.code == .interrupted)
        #expect(task.state == .paused)
        await scene.origin.waitForQuiet()
        scene.origin.route("/disk.bin", .resource(resource))
        task.resume()
        _ = try await task.file
        #expect(try resource.verify(fileAt: scene.folder.path("disk.bin")) == nil)
        #expect(scene.origin.requests.last?.range?.first == 400_000)
    }

    @Test func `a second run starts from zero if the first run's files are gone`() async throws {
        let latch = Latch()
        let scene = try SessionScene(holding: resource, until: latch)
        let session = DownloadSession(scene.configuration)
        let task = try await scene.start(in: session, reaching: 400_000)
        await task.pause()
        try await waitForPartialFile(in: scene)
        await scene.origin.waitForQuiet()
        for name in scene.folder.list() { unlink(scene.folder.path(name)) }
        scene.origin.route(
            "/disk.bin",
            .resource(resource).holdAfterBytes(200_000, until: Latch())
        )
        task.resume()
        while task.currentProgress.completedBytes != 200_000, !Task.isCancelled {
            await Task.yield()
        }
        #expect(task.currentProgress.resumedBytes == 0)
        let data = await task.cancelByProducingResumeData()
        #expect(data?.receivedBytes == 200_000)
        #expect(scene.origin.requests.last?.range == nil)
    }

    @Test func `tasks start by priority`() async throws {
        let scene = try SessionScene()
        var configuration = scene.configuration
        configuration.maximumConcurrentDownloads = 1
        let session = DownloadSession(configuration)
        let latch = Latch()
        let names = ["first", "low", "normal", "high"]
        for name in names { scene.origin.route("/\(name)", .resource(resource)) }
        scene.origin.route("/first", .resource(resource).holdAfterBytes(1000, until: latch))
        let tasks = try names.map { name in
            session.downloadTask(with: try scene.url("/\(name)"), to: scene.target(name))
        }
        tasks[0].resume()
        await latch.waitForArrivals()
        tasks[1].priority = .low
        for task in tasks { task.resume() }
        tasks[3].priority = .high
        latch.release()
        for task in tasks { _ = try await task.file }
        #expect(scene.origin.requests.map(\.path) == ["/first", "/high", "/normal", "/low"])
    }

    @Test func `a task does not start before its date`() async throws {
        let scene = try SessionScene(.resource(resource))
        let session = DownloadSession(scene.configuration)
        let task = session.downloadTask(with: try scene.url(), to: scene.target())
        let date = Date(timeIntervalSinceNow: 0.4)
        task.earliestBeginDate = date
        task.resume()
        #expect(task.state == .waiting || Date() >= date)
        _ = try await task.file
        #expect(Date() >= date)
    }

    @Test func `a task waits forever for an infinite date, and starts at once for NaN`()
        async throws
    {
        let scene = try SessionScene(.resource(resource))
        let session = DownloadSession(scene.configuration)
        for seconds in [Double.infinity, .nan] {
            let task = session.downloadTask(with: try scene.url(), to: scene.target())
            task.earliestBeginDate = Date(timeIntervalSinceReferenceDate: seconds)
            task.resume()
            if seconds.isNaN { _ = try await task.file } else { #expect(task.state == .waiting) }
            task.cancel()
        }
        #expect(scene.origin.requests.count == 1)
    }

    @Test func `progress starts at once, grows, and ends with the task`() async throws {
        let latch = Latch()
        let reply = Reply.resource(resource).rate(2 << 20)
        let scene = try SessionScene(reply.holdAfterBytes(0, until: latch))
        let session = DownloadSession(scene.configuration)
        let task = session.downloadTask(with: try scene.url(), to: scene.target())
        task.countOfBytesClientExpectsToReceive = 5
        #expect(task.currentProgress.totalBytes == 5)
        task.resume()
        var seen: [DownloadProgress] = []
        for await progress in task.progress {
            seen.append(progress)
            latch.release()
        }
        let bytes = seen.map(\.completedBytes)
        #expect(bytes == bytes.sorted())
        #expect(bytes.first == 0)
        #expect(bytes.last == resource.size)
        #expect(seen.last?.totalBytes == resource.size)
        #expect(task.state == .finished)
    }

    @Test func `a closure that sees the response chooses the destination`() async throws {
        let reply = Reply.resource(resource).setting("Content-Type", "application/x-disk")
        let scene = try SessionScene(reply)
        let session = DownloadSession(scene.configuration)
        let folder = scene.folder.path("made")
        let file = try await session.download(
            try scene.url(),
            to: .choosing { response in
                #expect(response.expectedContentLength == 1 << 20)
                #expect(response.suggestedFilename == "disk.bin")
                #expect(response.mediaType == "application/x-disk")
                return .file(folder + "/\(response.status).bin")
            }
        )
        #expect(file.path == folder + "/200.bin")
        #expect(try resource.verify(fileAt: file.path) == nil)
    }

    @Test func `whatever the closure that chooses the destination throws ends the task`()
        async throws
    {
        let scene = try SessionScene(.resource(resource))
        let session = DownloadSession(scene.configuration)
        let task = session.downloadTask(
            with: try scene.url(),
            to: .choosing { _ in throw Refused() }
        )
        task.resume()
        _ = try? await task.file
        #expect(task.error?.code == .unknown)
        #expect(task.error?.cause is Refused)
    }

    /// Foundation's error prints as a Swift value.
    @Test func `an error of Foundation in the closure is reported in words`() async throws {
        let scene = try SessionScene(.resource(resource))
        let session = DownloadSession(scene.configuration)
        let folder = scene.folder.path("none/made")
        let error = await #expect(throws: DownloadError.self) {
            try await session.download(
                try scene.url(),
                to: .choosing { _ in
                    try FileManager.default.createDirectory(
                        atPath: folder,
                        withIntermediateDirectories: false
                    )
                    return .directory(folder)
                }
            )
        }
        #expect(error?.message == folder + ": No such file or directory")
        #expect(error?.cause is CocoaError)
    }

    @Test func `a pause returns when the checkpoint lists the received bytes`() async throws {
        let latch = Latch()
        let scene = try SessionScene(holding: resource, until: latch)
        let session = DownloadSession(scene.configuration)
        let task = try await scene.start(in: session, reaching: 400_000)
        await task.pause()
        #expect(task.state == .paused)
        let partial = scene.folder.path("disk.bin.part")
        #expect(try CheckpointDescription(partialFile: partial).usableBytes >= 300_000)
    }

    @Test func `a session that starts no more leaves queued tasks waiting`() async throws {
        let scene = try SessionScene(.resource(resource))
        let latch = Latch()
        scene.origin.route("/held", .resource(resource).holdAfterBytes(1_000, until: latch))
        var configuration = scene.configuration
        configuration.maximumConcurrentDownloads = 1
        let session = DownloadSession(configuration)
        let first = session.downloadTask(
            with: try scene.url("/held"),
            to: .file(scene.folder.path("held"))
        )
        let second = session.downloadTask(with: try scene.url(), to: scene.target())
        first.resume()
        second.resume()
        await latch.waitForArrivals()
        session.startNoMore()
        latch.release()
        _ = try await first.file
        await first.waitForEndIgnoringCancellation()
        #expect(second.state == .waiting)
        second.cancel()
        await second.waitForEndIgnoringCancellation()
        #expect(scene.origin.requests.count == 1)
    }

    @Test func `an empty path is refused before anything is sent`() async throws {
        let scene = try SessionScene(.resource(resource))
        let session = DownloadSession(scene.configuration)
        let error = await #expect(throws: DownloadError.self) {
            try await session.download(try scene.url(), to: .file(""))
        }
        #expect(error?.code == .usage)
        #expect(scene.origin.requests.isEmpty)
    }

    @Test func `an empty path is refused if a closure chooses it`() async throws {
        let scene = try SessionScene(.resource(resource))
        let session = DownloadSession(scene.configuration)
        let error = await #expect(throws: DownloadError.self) {
            try await session.download(try scene.url(), to: .choosing { _ in .file("") })
        }
        #expect(error?.code == .usage)
    }

    @Test func `response and metrics report redirects and transfers`() async throws {
        let scene = try SessionScene(.resource(resource))
        scene.origin.route("/old", .redirect(to: "/disk.bin"))
        let session = DownloadSession(scene.configuration)
        let task = session.downloadTask(with: try scene.url("/old"), to: scene.target())
        #expect(task.response == nil)
        task.resume()
        _ = try await task.file
        let response = try #require(task.response)
        #expect(response.redirects == [try scene.url("/old")])
        #expect(response.url == (try scene.url()))
        #expect(response.status == 200)
        #expect(response.protocolVersion == "HTTP/1.1")
        let metrics = task.metrics
        #expect(metrics.transfers == 2)
        #expect(metrics.redirects == 1)
        #expect(metrics.bytesReceived == resource.size)
        #expect(metrics.segments >= 1 && metrics.segments <= metrics.transfers)
        #expect(metrics.firstByte != nil)
        #expect(metrics.duration > .zero)
        #expect(metrics.remoteAddress == "127.0.0.1")
    }

    @Test func `after finishTasksAndInvalidate running tasks finish and new ones fail`()
        async throws
    {
        let latch = Latch()
        let scene = try SessionScene(holding: resource, after: 1000, until: latch)
        let session = DownloadSession(scene.configuration)
        let task = session.downloadTask(with: try scene.url(), to: scene.target())
        task.resume()
        await latch.waitForArrivals()
        session.finishTasksAndInvalidate()
        latch.release()
        _ = try await task.file
        let late = session.downloadTask(with: try scene.url(), to: scene.target("late"))
        late.resume()
        let error = await #expect(throws: DownloadError.self) { try await late.file }
        #expect(error?.code == .usage)
    }

    @Test func `an invalidated session requests no description`() async throws {
        let scene = try SessionScene(.resource(resource))
        let session = DownloadSession(scene.configuration)
        _ = try await session.inspect(try scene.url())
        session.finishTasksAndInvalidate()
        let count = scene.origin.requests.count
        let error = await #expect(throws: DownloadError.self) {
            try await session.inspect(try scene.url())
        }
        #expect(error?.code == .usage)
        #expect(scene.origin.requests.count == count)
    }

    @Test func `cancelling a session ends a request for a description`() async throws {
        let silence = Reply.custom { _, connection in try connection.waitForClientToLeave() }
        let scene = try SessionScene(silence)
        let delegate = RecordingDelegate()
        let session = DownloadSession(scene.configuration, delegate: delegate)
        let url = try scene.url()
        let description = Task { try await session.inspect(url) }
        _ = await scene.origin.waitForRequests(1)
        session.invalidateAndCancel()
        let error = await #expect(throws: DownloadError.self) { try await description.value }
        #expect(error?.code == .interrupted)
        await delegate.allCalls(.invalid)
    }

    @Test func `an idle session is released with its last reference`() async throws {
        let scene = try SessionScene(.resource(resource))
        weak var gone: DownloadSession?
        do {
            let session = DownloadSession(scene.configuration)
            gone = session
            _ = try await session.download(try scene.url(), to: scene.target())
        }
        while gone != nil, !Task.isCancelled { await Task.yield() }
        #expect(gone == nil)
    }
}
