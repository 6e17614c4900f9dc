import Pawl
import PawlCore
import PawlEngine
import PawlTesting
import Testing

/// The store of an object, without a download.
@Suite(.timeLimit(.minutes(5)))
struct ObjectStoreTests {
    private static let part = ObjectScene.part
    private let resource = Resource(size: ObjectScene.size)

    private func losses(_ scene: ObjectStoreScene) -> [Bool] {
        scene.failures.value.map { if case .lost = $0 { true } else { false } }
    }

    @Test func `bytes with a gap before them are lost once, and put again`() async throws {
        let scene = try await ObjectStoreScene(resource)
        try scene.put(ByteRange(0, 100_000))
        #expect(losses(scene).isEmpty)
        try scene.put(ByteRange(200_000, 300_000))
        try scene.put(ByteRange(Self.part + 1, Self.part + 2))
        #expect(losses(scene) == [true])
        #expect(scene.store.trustEpoch == 1)
        scene.store.restrict(to: RangeSet())
        try scene.putAll()
        _ = try await scene.finish()
        await scene.end()
        #expect(losses(scene) == [true])
        try scene.scene.expectObject(resource)
    }

    @Test func `bytes that are put twice are no loss`() async throws {
        let scene = try await ObjectStoreScene(resource)
        try scene.put(ByteRange(0, 300_000))
        try scene.put(ByteRange(100_000, 200_000))
        try scene.put(ByteRange(200_000, Self.part + 100_000))
        try scene.put(ByteRange(Self.part, resource.size))
        _ = try await scene.finish()
        await scene.end()
        #expect(losses(scene).isEmpty)
        try scene.scene.expectObject(resource)
    }

    @Test func `parts whose bytes are missing at the end are not awaited`() async throws {
        let scene = try await ObjectStoreScene(resource)
        try scene.put(ByteRange(0, Self.part + 1_000))
        try scene.put(ByteRange(2 * Self.part, resource.size))
        await #expect(throws: DownloadError.self) { try await scene.finish() }
        #expect(scene.store.trustEpoch == 1)
        scene.store.restrict(to: RangeSet())
        try scene.putAll()
        _ = try await scene.finish()
        await scene.end()
        try scene.scene.expectObject(resource)
    }

    @Test func `losses without progress end the download`() async throws {
        let scene = try await ObjectStoreScene(resource)
        for _ in 1...11 {
            try scene.put(ByteRange(1_000, 2_000))
            scene.store.restrict(to: RangeSet())
        }
        #expect(losses(scene) == Array(repeating: true, count: 10) + [false])
        #expect(throws: DownloadError.self) { try scene.put(ByteRange(0, 1_000)) }
        await scene.end()
    }

    @Test func `an upload that began too late for its version is aborted`() async throws {
        let scene = try await ObjectStoreScene(resource)
        let (bucket, latch) = (try scene.scene.scripted, Latch())
        bucket.on(.createMultipartUpload, 1, .holdAfter(latch))
        try scene.put(ByteRange(0, Self.part))
        await latch.waitForArrivals()
        let former = try #require(bucket.uploads.first?.id)
        let new = Resource(size: resource.size + 4096, seed: 2)
        try scene.reset(to: new)
        latch.release()
        try scene.put(ByteRange(0, new.size), of: new)
        _ = try await scene.finish(new)
        await scene.end()
        #expect(bucket.requests(.abortMultipartUpload).map(\.uploadID) == [former])
        #expect(bucket.requests(.createMultipartUpload).count == 2)
        #expect(bucket.requests(.uploadPart).allSatisfy { $0.uploadID != former })
        try scene.scene.expectObject(new)
    }

    @Test func `parts that are still being sent need memory after a loss`() async throws {
        let memory = PartMemory(bytes: 2 * Self.part)
        let scene = try await ObjectStoreScene(resource, memory: memory)
        let latch = Latch()
        try scene.scene.scripted.on(.holdBody(latch)) { $0.operation == .uploadPart }
        #expect(try scene.put(ByteRange(0, 2 * Self.part)) == .full)
        await latch.waitForArrivals(2)
        scene.store.restrict(to: RangeSet())
        #expect(memory.used == 2 * Self.part)
        #expect(try scene.put(ByteRange(0, 1_000)) == .full)
        latch.release()
        await scene.rooms.wait { $0 >= 2 }
        #expect(scene.store.hasRoom(at: 1_000))
        await scene.end()
        #expect(memory.used == 0)
    }
}
