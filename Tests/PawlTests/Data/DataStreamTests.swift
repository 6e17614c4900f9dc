import Pawl
import PawlCore
import PawlTesting
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5)))
struct DataStreamTests {
    private let resource = Resource(size: 1 << 20)
    private let huge = Resource(size: 200 << 20)

    private struct Enough: Error {}

    @Test func `chunks arrive in order`() async throws {
        let scene = try SessionScene(.resource(resource))
        let stream = try await scene.stream()
        #expect(stream.response.suggestedFilename == "disk.bin")
        var bytes: [UInt8] = []
        for try await chunk in stream { bytes += chunk }
        #expect(bytes == resource.bytes())
        #expect(stream.metrics.bytesReceived == resource.size)
        #expect(stream.receivedBytes == resource.size)
    }

    @Test func `a reader that stops closes the connection even if it keeps the stream`()
        async throws
    {
        let scene = try SessionScene(.resource(huge))
        let stream = try await scene.stream()
        for try await _ in stream { break }
        await scene.origin.waitForQuiet()
        await #expect(throws: DownloadError.self) { for try await _ in stream {} }
        #expect(scene.origin.requests.count == 1)
    }

    @Test func `an unread stream that is released is closed`() async throws {
        let scene = try SessionScene(.resource(huge))
        _ = try await scene.stream()
        await scene.origin.waitForQuiet()
        #expect(scene.origin.requests.map(\.end) == [.abandoned])
    }

    @Test func `stream(to -) passes chunks to the caller's sink and waits for it`() async throws {
        let scene = try SessionScene(.resource(huge))
        let stream = try await scene.stream()
        let latch = Latch()
        let count = Atomic<Int64>(0)
        let reading = Task {
            try await stream.stream { chunk in
                let seen = count.add(Int64(chunk.count), ordering: .relaxed).newValue
                #expect(stream.receivedBytes - seen <= 256 << 10)
                await latch.pass()
                if seen > 20 << 20 { throw Enough() }
            }
        }
        await latch.waitForArrivals()
        while stream.receivedBytes < 192 << 10, !Task.isCancelled { await Task.yield() }
        latch.release()
        await #expect(throws: Enough.self) { try await reading.value }
        await scene.origin.waitForQuiet()
    }

    @Test func `collect returns the whole body, up to its limit`() async throws {
        let scene = try SessionScene(.resource(resource))
        let fetched = try await scene.stream().collect()
        #expect(fetched.bytes == resource.bytes())
        #expect(fetched.mediaType == "application/octet-stream")
        #expect(fetched.isLengthVerified)
        let stream = try await scene.stream()
        let error = await #expect(throws: DownloadError.self) {
            try await stream.collect(limit: 100)
        }
        #expect(error?.code == .tooLarge)
    }

    @Test func `a stream continues after a suspension`() async throws {
        let scene = try SessionScene(.resource(resource))
        let stream = try await scene.stream()
        stream.suspend()
        async let fetched = stream.collect()
        stream.resume()
        let count = try await fetched.bytes.count
        #expect(count == 1 << 20)
    }

    @Test func `cancel ends a stream`() async throws {
        let scene = try SessionScene(.resource(huge))
        let stream = try await scene.stream()
        stream.cancel()
        let error = await #expect(throws: DownloadError.self) { for try await _ in stream {} }
        #expect(error?.code == .interrupted)
        await scene.origin.waitForQuiet()
    }
}

extension SessionScene {
    fileprivate func stream() async throws -> DataStream {
        try await DownloadSession(configuration).bytes(from: try url())
    }
}
