import Pawl
import PawlCore
import PawlTesting
import Testing

/// Downloads that become objects, without interruption.
@Suite(.timeLimit(.minutes(5)))
struct ObjectTargetTests {
    private let resource = Resource(size: ObjectScene.size)

    @Test(arguments: BucketKind.available, [1, 3])
    func `a file becomes an object in parts`(kind: BucketKind, connections: Int) async throws {
        let scene = try await ObjectScene(kind, .resource(resource))
        let file = try await scene.download(connections)
        #expect(file.path == "s3://photos/a%20b/disk.bin")
        #expect(file.byteCount == resource.size)
        #expect(!file.wasAlreadyThere)
        try scene.expectObject(resource)
        guard let bucket = scene.bucket.scripted else { return }
        let parts = bucket.requests(.uploadPart)
        #expect(parts.count == 3)
        #expect(parts.allSatisfy { $0["x-amz-checksum-crc32c"] != nil })
        #expect(bucket.requests(.completeMultipartUpload).map { $0["If-None-Match"] } == ["*"])
    }

    @Test(arguments: BucketKind.available, [0, 1, 100_000] as [Int64])
    func `a small file is stored with one request`(kind: BucketKind, size: Int64) async throws {
        let small = Resource(size: size)
        let scene = try await ObjectScene(kind, .resource(small))
        try await scene.download(2)
        try scene.expectObject(small)
        guard let bucket = scene.bucket.scripted else { return }
        #expect(bucket.requests(.createMultipartUpload).isEmpty)
        #expect(bucket.requests(.putObject).map { $0["If-None-Match"] } == ["*"])
    }

    @Test(arguments: BucketKind.available, [100_000, 16 << 20, ObjectScene.size] as [Int64])
    func `a file of unknown length becomes an object`(kind: BucketKind, size: Int64) async throws {
        let unknown = Resource(size: size)
        let scene = try await ObjectScene(kind, Reply.resource(unknown).chunked())
        try await scene.download(3)
        try scene.expectObject(unknown)
    }

    // MARK: - Digests

    @Test(arguments: BucketKind.available)
    func `a right digest is verified before the object exists`(kind: BucketKind) async throws {
        let scene = try await ObjectScene(kind, .resource(resource))
        let digest = try #require(resource.digest(.sha256))
        let file = try await scene.download(3) { $0.checksum = .digest(digest) }
        #expect(file.verifiedDigest == digest)
        try scene.expectObject(resource)
    }

    @Test(arguments: [100_000, ObjectScene.size] as [Int64])
    func `an object with a wrong digest is not completed`(size: Int64) async throws {
        let scene = try await ObjectScene(.scripted, .resource(Resource(size: size)))
        let digest = try #require(Resource(size: 1).digest(.sha256))
        let error = try await scene.failure { $0.checksum = .digest(digest) }
        #expect(error.code == .checksumMismatch)
        #expect(try scene.scripted.keys().isEmpty)
        #expect(try scene.scripted.requests(.completeMultipartUpload).isEmpty)
        try scene.expectNothingLeft()
    }

    // MARK: - Names that are taken

    @Test(arguments: [ExistingFilePolicy.fail, .skip, .rename, .overwrite])
    func `an object that is there is treated as demanded`(policy: ExistingFilePolicy) async throws {
        let scene = try await ObjectScene(.scripted, .resource(resource))
        try scene.scripted.store([1], as: ObjectScene.key)
        switch policy {
        case .fail:
            let error = try await scene.failure(scene.destination(.fail))
            #expect(error.code == .fileExists)
            #expect(scene.origin.requests.isEmpty)
        case .skip:
            #expect(try await scene.download(1, scene.destination(.skip)).wasAlreadyThere)
            #expect(scene.origin.requests.isEmpty)
        case .rename:
            let file = try await scene.download(1, scene.destination(.rename))
            #expect(file.path == "s3://photos/a%20b/disk.1.bin")
            try scene.expectObject(resource, "a b/disk.1.bin")
        case .overwrite:
            try await scene.download(1, scene.destination(.overwrite))
            return try scene.expectObject(resource)
        }
        #expect(try scene.scripted.object(ObjectScene.key)?.bytes == [1])
    }

    @Test(arguments: [ExistingFilePolicy.fail, .skip, .rename], [100_000, ObjectScene.size])
    func `an object that is stored meanwhile is not replaced`(
        policy: ExistingFilePolicy,
        size: Int64
    ) async throws {
        let file = Resource(size: size)
        let scene = try await ObjectScene(.scripted, .resource(file))
        let bucket = try scene.scripted
        scene.serve(
            Reply.resource(file).afterBytes(90_000) {
                bucket.store([1], as: ObjectScene.key)
            }
        )
        switch policy {
        case .fail:
            let error = try await scene.failure(scene.destination(.fail))
            #expect(error.code == .fileExists)
        case .skip:
            #expect(try await scene.download(1, scene.destination(.skip)).wasAlreadyThere)
        default:
            try await scene.download(1, scene.destination(.rename))
            try scene.expectObject(file, "a b/disk.1.bin")
        }
        #expect(bucket.object(ObjectScene.key)?.bytes == [1])
    }

    // MARK: - Memory

    @Test func `a slow bucket holds the source, and the memory is bounded`() async throws {
        let large = Resource(size: 6 * ObjectScene.part)
        let scene = try await ObjectScene(.scripted, .resource(large))
        let (latch, memory) = (Latch(), PartMemory(bytes: 2 * ObjectScene.part))
        try scene.scripted.on(.holdBody(latch)) { $0.operation == .uploadPart }
        let session = DownloadScene.session()
        let task = session.downloadTask(
            with: try scene.request(3),
            to: try scene.destination(memory: memory)
        )
        task.resume()
        await latch.waitForArrivals(2)
        #expect(memory.used == 2 * ObjectScene.part)
        #expect(try scene.scripted.requests(.uploadPart).count == 2)
        latch.release()
        _ = try await session.finish(task)
        #expect(memory.used == 0)
        try scene.expectObject(large)
    }

    @Test func `downloads share the memory`() async throws {
        let memory = PartMemory(bytes: ObjectScene.part)
        let first = try await ObjectScene(.scripted, .resource(resource))
        let second = try await ObjectScene(.scripted, .resource(resource))
        async let one = first.download(2, first.destination(memory: memory))
        async let two = second.download(2, second.destination(memory: memory))
        _ = try await (one, two)
        #expect(memory.used == 0)
        try first.expectObject(resource)
        try second.expectObject(resource)
    }
}
