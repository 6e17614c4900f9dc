import Pawl
import PawlCore
import PawlTesting
import Testing

/// Data tasks that end in unusual ways.
@Suite(.timeLimit(.minutes(5)))
struct DataTaskEndTests {
    private let resource = Resource(size: 1 << 20)
    private let huge = Resource(size: 200 << 20)

    @Test func `bytes that a reader has seen are not delivered twice`() async throws {
        let latch = Latch()
        let reply = Reply.resource(resource)
        let broken = reply.holdAfterBytes(1000, until: latch).afterBytes(1000, .reset)
        let scene = try SessionScene(.sequence([broken, reply]))
        let task = DownloadSession(scene.configuration).dataTask(with: try scene.url())
        task.resume()
        var seen: [UInt8] = []
        var failure: DownloadError?
        do throws(DownloadError) {
            for try await chunk in task.bytes {
                seen += chunk
                if seen.count == 1000 { latch.release() }
            }
        } catch {
            failure = error
        }
        #expect(seen == resource.bytes(ByteRange(0, 1000)))
        #expect(failure != nil)
        #expect(scene.origin.requests.count == 1)
    }

    @Test(arguments: [true, false])
    func `a failed data task keeps no connection`(announces: Bool) async throws {
        let reply = Reply.resource(huge)
        let scene = try SessionScene(announces ? reply : reply.chunked())
        let session = DownloadSession(scene.configuration)
        let task = session.dataTask(with: try scene.url(), limit: 100_000) { _ in }
        task.resume()
        for await _ in task.progress {}
        #expect(task.error?.code == .tooLarge)
        await scene.origin.waitForQuiet()
        #expect(scene.origin.snapshot.openConnections == 0)
        withExtendedLifetime(task) {}
    }

    @Test func `a large body that nobody reads ends with an error`() async throws {
        let scene = try SessionScene(.resource(huge))
        var configuration = scene.configuration
        configuration.settings.stallTimeout = .seconds(2)
        let session = DownloadSession(configuration)
        let task = session.dataTask(with: try scene.url())
        task.resume()
        for await _ in task.progress {}
        #expect(task.error?.code == .usage)
        await scene.origin.waitForQuiet()
        #expect(session.currentTasks.isEmpty)
    }

    @Test func `invalidateAndCancel ends awaited data and open streams`() async throws {
        let scene = try SessionScene(holding: resource, after: 1000)
        let delegate = RecordingDelegate()
        let session = DownloadSession(scene.configuration, delegate: delegate)
        let url = try scene.url()
        let stream = try await session.bytes(from: url)
        let waiting = Task { try await session.data(from: url) }
        while session.currentTasks.first?.response == nil, !Task.isCancelled { await Task.yield() }
        session.invalidateAndCancel()
        let error = await #expect(throws: DownloadError.self) { try await waiting.value }
        #expect(error?.code == .cancelled)
        let broken = await #expect(throws: DownloadError.self) { try await stream.collect() }
        #expect(broken?.code == .interrupted)
        await delegate.allCalls(.invalid)
        await scene.origin.waitForQuiet()
        await #expect(throws: DownloadError.self) { try await session.bytes(from: url) }
    }

    @Test(arguments: [true, false])
    func `a session ends when its last stream is read or released`(isRead: Bool) async throws {
        let scene = try SessionScene(.resource(resource))
        let delegate = RecordingDelegate()
        let session = DownloadSession(scene.configuration, delegate: delegate)
        do {
            let stream = try await session.bytes(from: try scene.url())
            session.finishTasksAndInvalidate()
            #expect(session.delegate != nil)
            if isRead { #expect(try await stream.collect().bytes == resource.bytes()) }
            withExtendedLifetime(stream) {}
        }
        await delegate.allCalls(.invalid)
    }

    @Test func `a task created late and never resumed does not hold its session`() async throws {
        let latch = Latch()
        let scene = try SessionScene(holding: resource, after: 1000, until: latch)
        let delegate = RecordingDelegate()
        let session = DownloadSession(scene.configuration, delegate: delegate)
        let task = session.downloadTask(with: try scene.url(), to: scene.target())
        task.resume()
        await latch.waitForArrivals()
        session.finishTasksAndInvalidate()
        let late = session.downloadTask(with: try scene.url(), to: scene.target("late"))
        #expect(session.currentTasks.map(\.id) == [task.id])
        latch.release()
        await delegate.allCalls(.invalid)
        late.resume()
        let error = await #expect(throws: DownloadError.self) { try await late.file }
        #expect(error?.code == .usage)
    }

    /// A delegate that reads its session's tasks when it is deallocated.
    private final class Curious: DownloadSessionDelegate {
        let session = Observed<DownloadSession?>(nil)
        let isGone: Observed<Bool>

        init(_ isGone: Observed<Bool>) { self.isGone = isGone }

        deinit {
            let tasks = session.value?.currentTasks
            isGone.update { $0 = tasks != nil }
        }
    }

    @Test func `a delegate may use its session while it is deallocated`() async throws {
        let scene = try SessionScene()
        let isGone = Observed(false)
        let session: DownloadSession
        do {
            let delegate = Curious(isGone)
            session = DownloadSession(scene.configuration, delegate: delegate)
            delegate.session.update { $0 = session }
        }
        session.finishTasksAndInvalidate()
        #expect(await isGone.wait { $0 })
    }

    @TaskLocal private static var caller = ""

    @Test func `a callback inherits no task-local values from the caller of resume`() async throws {
        let scene = try SessionScene(.resource(resource))
        let session = DownloadSession(scene.configuration)
        let callers = Observed<[String]>([])
        let url = try scene.url()
        Self.$caller.withValue("the first") {
            session.dataTask(with: url) { _ in callers.update { $0.append(Self.caller) } }.resume()
        }
        #expect(await callers.wait { !$0.isEmpty } == [""])
    }
}
