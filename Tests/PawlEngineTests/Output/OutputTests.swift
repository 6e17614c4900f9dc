import Glibc
import PawlCore
import PawlTesting
import Synchronization
import Testing

/// Downloads whose bytes are passed on in order while they are received.
@Suite(.timeLimit(.minutes(5)), .inTurn)
struct OutputTests {
    private static let window: Int64 = 64 << 20
    private static let withheldBytes = 64 * 1024

    /// A program that reads the bytes, and compares them with those of a resource.
    private final class Reader: Sendable {
        struct State {
            var count: Int64 = 0
            var firstDifference: Int64?
        }

        private let resource: Resource
        private let state = Mutex(State())
        /// Opened when the reader begins to read; `nil` begins at once.
        private let gate: Gate?

        init(_ resource: Resource, waitingFor gate: Gate? = nil) {
            (self.resource, self.gate) = (resource, gate)
        }

        var now: State { state.withLock { $0 } }

        func output(in folder: ScratchFolder) -> OrderedOutput {
            OrderedOutput(temporaryPath: folder.path("output")) {
                (bytes, check) throws(DownloadError) in
                try check()
                if self.now.count == 0 { self.gate?.wait() }
                self.state.withLock { state in
                    let end = state.count + Int64(bytes.count)
                    let expected = self.resource.bytes(ByteRange(state.count, end))
                    let isEqual = expected.withUnsafeBytes { expected in
                        guard let left = bytes.baseAddress, let right = expected.baseAddress else {
                            return bytes.isEmpty
                        }
                        return memcmp(left, right, bytes.count) == 0
                    }
                    if !isEqual, state.firstDifference == nil {
                        state.firstDifference = state.count
                    }
                    state.count = end
                }
            }
        }
    }

    private func start(
        _ scene: Scene,
        _ reader: Reader,
        _ settings: DownloadSettings
    ) throws -> RunningDownload {
        let output = reader.output(in: scene.folder)
        let destination = Destination.file(output.temporaryPath)
        return EngineProcess().start(try scene.url(), to: destination, settings, output: output)
    }

    @Test(arguments: Scene.connectionCounts)
    func `the reader gets every byte in order, and no file is left`(
        connections: Int
    ) async throws {
        let resource = Resource(size: 5_000_001)
        let scene = try Scene(.resource(resource))
        let reader = Reader(resource)
        let file = try await start(scene, reader, scene.settings(connections)).file()
        #expect(reader.now.firstDifference == nil)
        #expect(reader.now.count == resource.size)
        #expect(file.byteCount == resource.size)
        #expect(scene.folder.list().isEmpty)
    }

    @Test(arguments: [1, 4])
    func `no more than the window is fetched ahead of the reader`(
        connections: Int
    ) async throws {
        let resource = Resource(size: 100 << 20)
        let scene = try Scene(.resource(resource))
        let gate = Gate()
        let reader = Reader(resource, waitingFor: gate)
        let running = try start(scene, reader, scene.settings(connections))
        // With several connections the requests end at the window, with one the connection waits.
        await running.waitForBytes(Self.window - (4 << 20))
        let fetched = running.progress.completedBytes
        // Each connection writes what it has read at once.
        #expect(fetched <= Self.window + Int64(connections) * 1 << 20)
        gate.open()
        _ = try await running.file()
        #expect(reader.now.firstDifference == nil)
        #expect(reader.now.count == resource.size)
    }

    @Test func `with a wrong digest the last bytes are withheld`() async throws {
        let resource = Resource(size: 3_000_000)
        let scene = try Scene(.resource(resource))
        let reader = Reader(resource)
        var settings = scene.settings(4)
        settings.checksum = .digest(try #require(Resource(size: 1).digest(.sha256)))
        let running = try start(scene, reader, settings)
        let error = await #expect(throws: DownloadError.self) { try await running.file() }
        #expect(error?.code == .checksumMismatch)
        #expect(reader.now.count <= resource.size - Int64(Self.withheldBytes))
        #expect(scene.folder.list().isEmpty)
    }

    @Test func `a right digest is verified, and all bytes are passed on`() async throws {
        let resource = Resource(size: 3_000_000)
        let scene = try Scene(.resource(resource))
        let reader = Reader(resource)
        var settings = scene.settings(4)
        let digest = try #require(resource.digest(.sha256))
        settings.checksum = .digest(digest)
        let file = try await start(scene, reader, settings).file()
        #expect(file.verifiedDigest == digest)
        #expect(reader.now.count == resource.size)
    }

    @Test func `a file that changes fails after its first bytes were passed on`() async throws {
        let resource = Resource(size: 3_000_000)
        let latch = Latch()
        let held = Reply.resource(resource).holdAfterBytes(1_000_000, until: latch)
        let scene = try Scene(held.afterBytes(1_100_000, .reset))
        let reader = Reader(resource)
        let running = try start(scene, reader, scene.settings(1))
        await running.wait { _ in reader.now.count > 0 }
        scene.serve(.resource(Resource(size: 3_000_000, seed: 2)))
        latch.release()
        let error = await #expect(throws: DownloadError.self) { try await running.file() }
        #expect(error?.code == .keepsChanging)
        #expect(reader.now.firstDifference == nil)
        #expect(scene.folder.list().isEmpty)
    }

    @Test func `a broken connection is replaced, and the reader does not notice`() async throws {
        let resource = Resource(size: 3_000_000)
        let scene = try Scene(Reply.resource(resource).afterBytes(400_000, .reset))
        let reader = Reader(resource)
        _ = try await start(scene, reader, scene.settings(2)).file()
        #expect(reader.now.firstDifference == nil)
        #expect(reader.now.count == resource.size)
    }

    @Test func `without validators the responses are joined where bytes are equal`() async throws {
        var resource = Resource(size: 3_000_000)
        (resource.entityTag, resource.lastModified) = (nil, nil)
        let scene = try Scene(Reply.resource(resource).afterBytes(700_000, .reset))
        let reader = Reader(resource)
        _ = try await start(scene, reader, scene.settings(4)).file()
        #expect(reader.now.firstDifference == nil)
        #expect(reader.now.count == resource.size)
    }
}
