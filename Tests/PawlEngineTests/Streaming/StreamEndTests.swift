import PawlCore
import PawlEngine
import PawlTesting
import Testing

/// Bodies that break, and streams that are ended.
@Suite(.timeLimit(.minutes(5)), .inTurn)
struct StreamEndTests {
    private let resource = Resource(size: Scene.size)
    private let huge = Resource(size: 200 << 20)

    @Test(arguments: [false, true])
    func `a short body is an error after its bytes were delivered`(isChunked: Bool) async throws {
        let short = Reply.resource(resource).afterBytes(1000, .close)
        let scene = try Scene(isChunked ? short.chunked() : short)
        let stream = try scene.stream(by: EngineProcess())
        let (pieces, error) = await stream.readAll()
        #expect(Array(pieces.joined()) == resource.bytes(ByteRange(0, 1000)))
        #expect(error?.code == .network || error?.code == .badResponse)
        #expect(error?.advice.contains("resume") == false)
        // Part of it has been read, so it is not requested again.
        #expect(scene.asked.count == 1)
    }

    @Test func `a failed stream keeps returning its error`() async throws {
        let scene = try Scene(.status(404))
        let stream = try scene.stream(by: EngineProcess())
        for _ in 0..<2 {
            let error = await #expect(throws: DownloadError.self) { try await stream.open() }
            #expect(error?.code == .notFound)
        }
        #expect(scene.asked.count == 1)
    }

    @Test func `cancelling in the middle closes the connection at once`() async throws {
        let scene = try Scene(.resource(huge))
        let process = EngineProcess()
        let stream = try scene.stream(by: process)
        #expect(try await stream.next() != nil)
        stream.cancel()
        await scene.origin.waitForQuiet()
        #expect(scene.asked.map(\.end) == [.abandoned])
        let error = await #expect(throws: DownloadError.self) {
            while try await stream.next() != nil {}
        }
        #expect(error?.code == .interrupted)
    }

    @Test func `cancelling the waiting task ends the request`() async throws {
        let scene = try Scene(.never)
        let process = EngineProcess()
        let stream = try scene.stream(by: process)
        let waiting = Task { try await stream.next() }
        await scene.origin.waitForRequests(1)
        waiting.cancel()
        let error = await #expect(throws: DownloadError.self) { try await waiting.value }
        #expect(error?.code == .interrupted)
        await scene.origin.waitForQuiet()
    }

    @Test func `a stream that is released leaves nothing behind`() async throws {
        var shared = EngineSettings()
        shared.connectionsPerHost = 1
        let scene = try Scene(.resource(huge))
        let process = EngineProcess(shared)
        weak var left: StreamDriver?
        do {
            let stream = try scene.stream(by: process)
            left = stream
            #expect(try await stream.next() != nil)
        }
        #expect(left == nil)
        await scene.origin.waitForQuiet()
        // Its slot in the host's budget is free again.
        scene.serve(.resource(resource))
        #expect(try await scene.answer(by: process).bytes.count == resource.bytes().count)
    }

    @Test func `a waiting stream that is cancelled leaves the queue`() async throws {
        var shared = EngineSettings()
        shared.connectionsPerHost = 1
        let latch = Latch()
        let scene = try Scene(.resource(resource).holdAfterBytes(1000, until: latch))
        let process = EngineProcess(shared)
        let first = Task { try await scene.answer(by: process) }
        await latch.waitForArrivals()
        let second = Task { try await scene.answer(by: process) }
        let third = Task { try await scene.answer(by: process) }
        second.cancel()
        let error = await #expect(throws: DownloadError.self) { try await second.value }
        #expect(error?.code == .interrupted)
        latch.release()
        #expect(try await first.value.bytes == resource.bytes())
        #expect(try await third.value.bytes == resource.bytes())
        #expect(scene.asked.count == 2)
    }

    @Test func `a stalled body is an error`() async throws {
        let clock = ManualTimekeeper()
        let scene = try Scene(.resource(resource).stallAfterBytes(1000))
        let stream = try scene.stream(by: EngineProcess(time: clock))
        var count = 0
        while count < 1000 { count += try #require(try await stream.next()).count }
        async let rest = stream.readAll()
        await clock.waitForSleeper(until: .zero + .seconds(30))
        clock.advance(by: .seconds(30))
        let (_, error) = await rest
        #expect(error?.code == .timedOut)
        await scene.origin.waitForQuiet()
        #expect(scene.asked.count == 1)
    }

    @Test func `a request that exceeds its maximum duration is an error`() async throws {
        let scene = try Scene(.never)
        var settings = scene.settings(1)
        settings.maximumDuration = .milliseconds(100)
        #expect(try await scene.refusal(with: settings).code == .timedOut)
        await scene.origin.waitForQuiet()
    }

    @Test func `shutting down the transport ends running streams`() async throws {
        let scene = try Scene(.resource(resource).stallAfterBytes(1000))
        let process = EngineProcess()
        let stream = try scene.stream(by: process)
        #expect(try await stream.next()?.count == 1000)
        process.shutDownTransport()
        let error = await #expect(throws: DownloadError.self) { try await stream.next() }
        #expect(error?.code == .interrupted)
    }
}
