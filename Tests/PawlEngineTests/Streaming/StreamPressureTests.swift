import PawlCore
import PawlEngine
import PawlTesting
import Testing

/// Bytes that arrive faster than they are read.
@Suite(.timeLimit(.minutes(5)), .inTurn)
struct StreamPressureTests {
    private let huge = Resource(size: 200 << 20)

    /// The bytes that the kernels of both sides buffer: a few MiB each.
    private let mostOnTheWay: Int64 = 40 << 20

    @Test func `an unread body of any size uses bounded memory`() async throws {
        let scene = try Scene(.resource(huge))
        let process = EngineProcess()
        let stream = try scene.stream(by: process)
        let first = try #require(try await stream.next())
        // The reader stops here: the buffer fills up, and then no more bytes arrive.
        let given = Int64(first.count)
        while stream.receivedBytes - given < 192 << 10, !Task.isCancelled { await Task.yield() }
        try await scene.letTurn(process)
        #expect(stream.receivedBytes - given <= 256 << 10)
        #expect(scene.origin.requests(to: Scene.path)[0].bodyBytesSent < mostOnTheWay)
        // The stream resumes where it stopped.
        let second = try #require(try await stream.next())
        let expected = huge.bytes(ByteRange(0, given + Int64(second.count)))
        #expect(first + second == expected)
    }

    @Test func `a reader that reads everything gets every byte in order`() async throws {
        let scene = try Scene(.resource(huge))
        let process = EngineProcess()
        let stream = try scene.stream(by: process)
        var offset: Int64 = 0
        var pieces = 0
        while let piece = try await stream.next() {
            pieces += 1
            // Every hundredth piece is checked: all of them would take long in a debug build.
            if pieces % 100 == 1 {
                let range = ByteRange(offset, offset + Int64(piece.count))
                #expect(piece == huge.bytes(range))
            }
            offset += Int64(piece.count)
        }
        #expect(offset == huge.size)
    }

    @Test func `a suspended stream delivers nothing and continues when resumed`() async throws {
        let scene = try Scene(.resource(huge))
        let clock = ManualTimekeeper()
        let process = EngineProcess(time: clock)
        let stream = try scene.stream(by: process)
        stream.suspend()
        _ = try await stream.open()
        async let piece = stream.next()
        // A requested silence is not a stall.
        clock.advance(by: .seconds(100))
        try await scene.letTurn(process)
        #expect(stream.receivedBytes == 0)
        stream.resume()
        let awaited = try await piece
        let first = try #require(awaited)
        #expect(first == huge.bytes(ByteRange(0, Int64(first.count))))
        stream.suspend()
        try await scene.letTurn(process)
        #expect(stream.receivedBytes - Int64(first.count) <= 256 << 10)
        stream.resume()
        #expect(try await stream.next() != nil)
    }

    @Test func `a stream obeys the rate limit`() async throws {
        var shared = EngineSettings()
        shared.limitBytesPerSecond = 200_000
        let scene = try Scene(.resource(Resource(size: 100_000)))
        let clock = ContinuousClock()
        let start = clock.now
        let body = try await scene.answer(by: EngineProcess(shared))
        #expect(body.bytes.count == 100_000)
        #expect(clock.now - start >= .milliseconds(300))
    }

    @Test func `streams obey the host budget`() async throws {
        var shared = EngineSettings()
        shared.connectionsPerHost = 1
        let latch = Latch()
        let scene = try Scene(.resource(Resource(size: 5000)).holdAfterBytes(1000, until: latch))
        let process = EngineProcess(shared)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask { try await scene.answer(by: process).bytes.count }
            }
            await latch.waitForArrivals()
            try await scene.letTurn(process)
            #expect(scene.origin.requests(to: Scene.path).count == 1)
            latch.release()
            for try await count in group { #expect(count == 5000) }
        }
        #expect(scene.origin.requests(to: Scene.path).count == 4)
    }

    @Test func `the second of two simultaneous readers gets an error`() async throws {
        let latch = Latch()
        let scene = try Scene(.resource(Resource(size: 5000)).holdAfterBytes(0, until: latch))
        let stream = try scene.stream(by: EngineProcess())
        _ = try await stream.open()
        await withTaskGroup(of: Result<[UInt8]?, any Error>.self) { group in
            for _ in 0..<2 { group.addTask { await Result { try await stream.next() } } }
            let refused = await group.next()
            #expect(throws: DownloadError.self) { try refused?.get() }
            latch.release()
            let read = await group.next()
            #expect(throws: Never.self) { try read?.get() }
        }
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
