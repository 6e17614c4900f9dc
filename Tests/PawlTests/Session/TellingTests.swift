import Logging
import Pawl
import PawlCore
import PawlTesting
import Testing

/// What the delegate is told when the file or the server is not as expected.
@Suite(.timeLimit(.minutes(5)))
struct TellingTests {
    private let resource = Resource(size: 1 << 20)
    private static let held = SessionScene.held

    @Test func `didResumeAtOffset is not called before the server agrees`() async throws {
        let scene = try SessionScene(holding: resource)
        let data = try await scene.resumeData()
        let (asked, gate) = (Latch(), Gate())
        scene.origin.route(
            "/disk.bin",
            .each { [resource] _ in
                asked.release()
                gate.wait()
                return .resource(resource)
            }
        )
        let delegate = RecordingDelegate()
        let session = DownloadSession(scene.configuration, delegate: delegate)
        let task = try session.downloadTask(withResumeData: data)
        task.resume()
        await asked.pass()
        task.cancel()
        let calls = await delegate.allCalls(.completed(.cancelled))
        gate.open()
        #expect(calls.map(\.isOfBytes) == calls.map { _ in false })
    }

    @Test func `a changed file is reported from its beginning`() async throws {
        let scene = try SessionScene(holding: resource)
        let data = try await scene.resumeData()
        let other = Resource(size: 600_000, seed: 2)
        scene.origin.route("/disk.bin", .resource(other))
        let delegate = RecordingDelegate()
        let session = DownloadSession(scene.configuration, delegate: delegate)
        try session.downloadTask(withResumeData: data).resume()
        var sum: Int64 = 0
        for call in await delegate.allCalls() {
            if case .resumed = call { Issue.record("\(call)") }
            if case .wrote(let count, _, _) = call { sum += count }
        }
        #expect(sum == other.size)
        #expect(await delegate.allCalls().contains(.startedOver(discarded: Self.held)))
    }

    @Test func `no bytes are reported while those of another version are not discarded yet`()
        async throws
    {
        let scene = try SessionScene(holding: resource)
        let data = try await scene.resumeData()
        scene.origin.route("/disk.bin", .resource(Resource(size: 600_000, seed: 2)))
        let (delegate, announced, gate) = (RecordingDelegate(), Latch(), Gate())
        let session = DownloadSession(
            scene.configuration,
            delegate: delegate,
            logger: Logger(label: "test") { _ in
                MessageHandler { message in
                    guard message.contains("starting over"), !announced.isOpen else { return }
                    announced.release()
                    gate.wait()
                }
            }
        )
        let task = try session.downloadTask(withResumeData: data)
        task.resume()
        await announced.pass()
        // As often as the delegate is told of bytes.
        var updates = task.progress.makeAsyncIterator()
        for _ in 0..<3 { _ = await updates.next() }
        gate.open()
        let calls = await delegate.allCalls()
        #expect(calls.first { $0.isOfBytes || $0.isStart } == .startedOver(discarded: Self.held))
    }

    @Test func `a task whose file changed while paused starts over and reports it`() async throws {
        let scene = try SessionScene(holding: resource)
        let delegate = RecordingDelegate()
        let session = DownloadSession(scene.configuration, delegate: delegate)
        let task = try await scene.start(in: session, reaching: Self.held)
        let before = try #require(task.response?.value("ETag"))
        await task.pause()
        await scene.origin.waitForQuiet()
        let other = Resource(size: 600_000, seed: 2)
        scene.origin.route("/disk.bin", .resource(other))
        task.resume()
        let file = try await task.file
        #expect(try other.verify(fileAt: file.path) == nil)
        let after = try #require(task.response?.value("ETag"))
        #expect(after != before)
        #expect(task.response?.value("Content-Length") == "\(other.size)")
        let calls = await delegate.allCalls()
        let restart = try #require(
            calls.firstIndex(of: .startedOver(discarded: Self.held)),
            "\(calls)"
        )
        var sum: Int64 = 0
        for case .wrote(let count, let total, _) in calls[restart...] {
            sum += count
            #expect(sum == total)
        }
        #expect(sum == other.size)
        #expect(!calls.contains { if case .resumed = $0 { true } else { false } })
    }

    @Test func `the response of a new version without comparable validators is used`() async throws
    {
        let scene = try SessionScene(
            .resource(resource).removing("ETag").removing("Last-Modified")
                .holdAfterBytes(Self.held, until: Latch())
        )
        let session = DownloadSession(scene.configuration)
        let task = try await scene.start(in: session, reaching: Self.held)
        await task.pause()
        await scene.origin.waitForQuiet()
        let other = Resource(size: 600_000, seed: 2)
        scene.origin.route("/disk.bin", .resource(other))
        task.resume()
        _ = try await task.file
        #expect(task.response?.value("ETag") != nil)
    }

    @Test func `no bytes are reported as written for an existing file`() async throws {
        let scene = try SessionScene(.resource(resource))
        for isThere in [false, true] {
            let delegate = RecordingDelegate()
            let session = DownloadSession(scene.configuration, delegate: delegate)
            session.downloadTask(with: try scene.url(), to: scene.target()).resume()
            let calls = await delegate.allCalls()
            #expect(calls.contains { $0.isOfBytes } == !isThere)
        }
    }

    @Test func `a paused task that is cancelled fails, and a whole one has no resume data`()
        async throws
    {
        let scene = try SessionScene(holding: resource)
        let session = DownloadSession(scene.configuration)
        let task = try await scene.start(in: session, reaching: Self.held)
        await task.pause()
        await scene.origin.waitForQuiet()
        let data = try #require(await task.cancelByProducingResumeData())
        #expect(task.currentProgress.phase == .failed)
        scene.origin.route("/disk.bin", .resource(resource))
        for _ in 0..<2 {
            let other = try session.downloadTask(withResumeData: data)
            other.resume()
            _ = try await other.file
            #expect(await other.cancelByProducingResumeData() == nil)
        }
    }

    @Test func `slowly choosing a destination does not delay other tasks`() async throws {
        let scene = try SessionScene(.resource(resource))
        var configuration = scene.configuration
        configuration.maximumConcurrentDownloads = 10
        let session = DownloadSession(configuration)
        let (asked, gate) = (Observed(0), Gate())
        let slow = try (0..<6).map { number in
            let path = scene.folder.path("\(number)")
            return session.downloadTask(
                with: try scene.url(),
                to: .choosing { _ in
                    asked.update { $0 += 1 }
                    gate.wait()
                    return .file(path)
                }
            )
        }
        for task in slow { task.resume() }
        await asked.wait { $0 == 6 }
        _ = try await session.download(try scene.url(), to: scene.target())
        for _ in slow { gate.open() }
        for task in slow { #expect(try resource.verify(fileAt: try await task.file.path) == nil) }
    }
}

/// Passes on each message.
private struct MessageHandler: LogHandler {
    let handle: @Sendable (String) -> Void

    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    init(_ handle: @escaping @Sendable (String) -> Void) { self.handle = handle }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { handle("\(event.message)") }
}

extension RecordingDelegate.Call {
    fileprivate var isOfBytes: Bool {
        switch self {
        case .resumed, .wrote: true
        default: false
        }
    }

    fileprivate var isStart: Bool { if case .startedOver = self { true } else { false } }
}
