import struct FoundationEssentials.URL
import Glibc
import Pawl
import PawlCore
import PawlTesting
import Testing

/// The events of tasks and sessions as sequences.
@Suite(.timeLimit(.minutes(5)))
struct EventTests {
    private let resource = Resource(size: 1 << 20)
    private static let held = SessionScene.held

    /// An event without what differs from run to run.
    private enum Seen: Equatable {
        case response(Int)
        case resumed(Int64, Int64?)
        case progress(Int64, Int64?)
        case startedOver(Int64, DownloadRestart.Reason)
        case waiting
        case finished(String?)
        case failed(ErrorCode)

        init(_ event: TaskEvent) {
            switch event {
            case .response(let response): self = .response(response.status)
            case .resumed(let offset, let expected): self = .resumed(offset, expected)
            case .progress(let progress):
                self = .progress(progress.completedBytes, progress.totalBytes)
            case .startedOver(let restart):
                self = .startedOver(restart.discardedBytes, restart.reason)
            case .waitingForConnectivity: self = .waiting
            case .finished(let file): self = .finished(file?.path)
            case .failed(let error): self = .failed(error.code)
            }
        }

        var isProgress: Bool { if case .progress = self { true } else { false } }
    }

    private func read(_ events: EventSequence<TaskEvent>) async -> [Seen] {
        var seen: [Seen] = []
        for await event in events { seen.append(Seen(event)) }
        return seen
    }

    @Test func `a task's events are the response, the progress and the file`() async throws {
        let latch = Latch()
        let scene = try SessionScene(holding: resource, until: latch)
        let session = DownloadSession(scene.configuration)
        let task = session.downloadTask(with: try scene.url(), to: scene.target())
        let events = task.events
        task.resume()
        var seen: [Seen] = []
        for await event in events {
            seen.append(Seen(event))
            if Seen(event).isProgress { latch.release() }
        }
        #expect(seen.first == .response(200))
        #expect(seen.last == .finished(scene.folder.path("disk.bin")))
        let middle = seen.dropFirst().dropLast()
        #expect(middle.count >= 2)
        #expect(middle.allSatisfy { $0.isProgress })
        #expect(middle.last == .progress(resource.size, resource.size))
    }

    @Test func `a slow reader gets the newest progress, once`() async throws {
        let scene = try SessionScene(.resource(resource).rate(2 << 20))
        let session = DownloadSession(scene.configuration)
        let task = session.downloadTask(with: try scene.url(), to: scene.target())
        let events = task.events
        let others = task.events
        task.resume()
        for await _ in others {}
        let path = try await task.file.path
        #expect(
            await read(events) == [
                .response(200), .progress(resource.size, resource.size), .finished(path),
            ]
        )
    }

    @Test func `a resumed task reports its offset`() async throws {
        let scene = try SessionScene(holding: resource)
        let data = try await scene.resumeData()
        scene.origin.route("/disk.bin", .resource(resource))
        let session = DownloadSession(scene.configuration)
        let task = try session.downloadTask(withResumeData: data)
        let events = task.events
        task.resume()
        let seen = await read(events)
        #expect(seen.prefix(2) == [.response(206), .resumed(Self.held, resource.size)])
        #expect(seen.last == .finished(scene.folder.path("disk.bin")))
    }

    @Test func `a task that starts over reports what was discarded, and why`() async throws {
        let scene = try SessionScene(holding: resource)
        let data = try await scene.resumeData()
        scene.origin.route("/disk.bin", .resource(Resource(size: 600_000, seed: 2)))
        let session = DownloadSession(scene.configuration)
        let task = try session.downloadTask(withResumeData: data)
        let events = task.events
        task.resume()
        let seen = await read(events)
        let restart = try #require(seen.firstIndex(of: .startedOver(Self.held, .fileChanged)))
        #expect(seen[restart...].contains(.progress(600_000, 600_000)))
        #expect(seen.last == .finished(scene.folder.path("disk.bin")))
    }

    @Test func `a failed and a cancelled task end with their errors`() async throws {
        let scene = try SessionScene(.status(404))
        let session = DownloadSession(scene.configuration)
        let missing = session.downloadTask(with: try scene.url(), to: scene.target())
        let cancelled = session.downloadTask(with: try scene.url(), to: scene.target("other"))
        let events = (missing.events, cancelled.events)
        missing.resume()
        cancelled.cancel()
        #expect(await read(events.0).last == .failed(.notFound))
        #expect(await read(events.1) == [.failed(.cancelled)])
    }

    @Test func `each reader gets all events, and a late one the end`() async throws {
        let scene = try SessionScene(.resource(resource))
        let session = DownloadSession(scene.configuration)
        let task = session.downloadTask(with: try scene.url(), to: scene.target())
        let events = (task.events, task.events)
        task.resume()
        let file = try await task.file
        let (first, second) = (await read(events.0), await read(events.1))
        // A later reader may skip progress.
        #expect(first.filter { !$0.isProgress } == [.response(200), .finished(file.path)])
        #expect(second.filter { !$0.isProgress } == [.response(200), .finished(file.path)])
        #expect(await read(task.events) == [.finished(file.path)])
    }

    @Test func `a reader that comes while the task runs gets what follows`() async throws {
        let latch = Latch()
        let scene = try SessionScene(holding: resource, until: latch)
        let session = DownloadSession(scene.configuration)
        let task = try await scene.start(in: session, reaching: Self.held)
        let (ofTask, ofSession) = (task.events, session.events)
        latch.release()
        #expect(await read(ofTask).suffix(2).first == .progress(resource.size, resource.size))
        for await case .task(let other, let event) in ofSession where event.isEnd {
            #expect(other === task)
            break
        }
    }

    @Test func `a data task ends without a file`() async throws {
        let scene = try SessionScene(.resource(resource))
        let session = DownloadSession(scene.configuration)
        let task = session.dataTask(with: try scene.url())
        let events = task.events
        task.resume()
        #expect(try await task.data.bytes.count == Int(resource.size))
        let seen = await read(events)
        #expect(seen.first == .response(200))
        #expect(seen.last == .finished(nil))
    }

    @Test func `a session's events are those of all its tasks, until it is invalid`() async throws {
        let scene = try SessionScene(.resource(resource))
        let session = DownloadSession(scene.configuration)
        let events = session.events
        let tasks = try (0..<8).map { number in
            session.downloadTask(with: try scene.url(), to: scene.target("\(number).bin"))
        }
        for task in tasks { task.resume() }
        session.finishTasksAndInvalidate()
        var ends: [Int: Seen] = [:]
        var isInvalid = false
        for await event in events {
            #expect(!isInvalid)
            switch event {
            case .task(let task, let event):
                #expect(ends[task.taskIdentifier] == nil)
                if event.isEnd { ends[task.taskIdentifier] = Seen(event) }
            case .invalidated(let error):
                #expect(error == nil)
                isInvalid = true
            case .finishedBackgroundEvents, .dropped: Issue.record("\(event)")
            }
        }
        #expect(isInvalid)
        for (number, task) in tasks.enumerated() {
            let path = scene.folder.path("\(number).bin")
            #expect(ends[task.taskIdentifier] == .finished(path))
        }
    }

    @Test func `the events have the order in which the delegate is called`() async throws {
        let scene = try SessionScene(.resource(resource).rate(2 << 20))
        let delegate = RecordingDelegate()
        let session = DownloadSession(scene.configuration, delegate: delegate)
        let task = session.downloadTask(with: try scene.url(), to: scene.target())
        let events = task.events
        task.resume()
        var written: [Int64] = []
        for await event in events {
            if case .progress(let progress) = event { written.append(progress.completedBytes) }
        }
        let calls = await delegate.allCalls()
        let told = calls.compactMap { if case .wrote(_, let total, _) = $0 { total } else { nil } }
        #expect(Set(written).isSubset(of: Set(told)))
        #expect(written == written.sorted())
        #expect(written.last == told.last)
    }

    // MARK: - Slow readers

    @Test func `unread events of tasks that have ended are dropped except for the ends`()
        async throws
    {
        let scene = try SessionScene()
        let session = DownloadSession(scene.configuration)
        let task = session.dataTask(with: try scene.url())
        let other = session.dataTask(with: try scene.url())
        let feeds = EventFeeds(SessionEvent.bounds(limit: 8))
        let events = feeds.makeSequence()
        feeds.post(.task(other, .waitingForConnectivity))
        for _ in 0..<1000 {
            feeds.post(.task(task, .waitingForConnectivity))
            feeds.post(.task(task, .resumed(offset: 1, expectedBytes: nil)))
        }
        feeds.post(.task(task, .finished(nil)))
        for offset in Int64(0)..<1000 {
            feeds.post(.task(other, .resumed(offset: offset, expectedBytes: nil)))
        }
        feeds.post(.invalidated(nil))
        feeds.end()
        var seen: [SessionEvent] = []
        for await event in events { seen.append(event) }
        #expect(seen.count <= 8)
        let ended = seen.compactMap {
            if case .task(let task, .finished) = $0 { task } else { nil }
        }
        #expect(ended.count == 1)
        #expect(ended.first === task)
        guard case .task(let last, .resumed(let offset, _)) = seen.dropLast().last,
            case .invalidated = seen.last
        else {
            Issue.record("\(seen)")
            return
        }
        #expect(last === other)
        #expect(offset == 999)
    }

    @Test func `the ends of many tasks that nobody reads are counted`() async throws {
        let scene = try SessionScene()
        let session = DownloadSession(scene.configuration)
        let tasks = try (0..<100).map { number in
            session.dataTask(with: try scene.url("/\(number)"))
        }
        let feeds = EventFeeds(SessionEvent.bounds(limit: 20))
        let events = feeds.makeSequence()
        for task in tasks { feeds.post(.task(task, .finished(nil))) }
        feeds.end()
        var (lost, ended): (Int, [Int]) = (0, [])
        for await event in events {
            switch event {
            case .dropped(let count):
                // It takes the position of what it replaces.
                #expect(ended.isEmpty)
                lost += count
            case .task(let task, .finished): ended.append(task.taskIdentifier)
            default: Issue.record("\(event)")
            }
        }
        #expect(lost + ended.count == 100)
        #expect((10...20).contains(ended.count))
        #expect(ended == tasks.suffix(ended.count).map { $0.taskIdentifier })
    }

    // MARK: - Several tasks

    @Test func `the progress of several tasks is their sum`() async throws {
        let scene = try SessionScene()
        let sizes: [Int64] = [300_000, 500_000, 700_000]
        for size in sizes { scene.origin.route("/\(size)", .resource(Resource(size: size))) }
        scene.origin.route("/missing", .status(404))
        let session = DownloadSession(scene.configuration)
        let paths = sizes.map { "/\($0)" } + ["/missing"]
        let tasks = try paths.map { path in
            session.downloadTask(
                with: try scene.url(path),
                to: scene.target("file" + path.dropFirst())
            )
        }
        for task in tasks { task.resume() }
        var last = TotalProgress(of: [])
        for await progress in session.progress(of: tasks) {
            #expect(progress.completedBytes >= last.completedBytes)
            last = progress
        }
        #expect(last.taskCount == 4)
        #expect(last.finishedCount == 3)
        #expect(last.failedCount == 1)
        #expect(last.completedBytes == 1_500_000)
        #expect(last.totalBytes == 1_500_000)
        #expect(last.fraction == 1)
    }
}
