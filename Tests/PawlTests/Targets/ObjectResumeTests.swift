import Pawl
import PawlCore
import PawlStorage
import PawlTesting
import Testing

/// Downloads that become objects and are interrupted.
@Suite(.timeLimit(.minutes(5)))
struct ObjectResumeTests {
    private static let part = ObjectScene.part
    /// Two parts, and some bytes of the third.
    private static let heldBytes = 2 * part + 500_000
    private let resource = Resource(size: ObjectScene.size)

    private func interrupted(
        _ change: @escaping @Sendable (inout DownloadSettings) -> Void = { _ in }
    ) async throws -> ObjectScene {
        let scene = try await ObjectScene(.scripted, .resource(resource))
        try await scene.interrupt(
            resource,
            holdingAfter: Self.heldBytes,
            parts: 2,
            change
        )
        #expect(try scene.scripted.uploads.count == 1)
        #expect(scene.folder.list() == [scene.ledgerName])
        return scene
    }

    @Test func `the next run fetches only the parts that are missing`() async throws {
        let scene = try await interrupted()
        let upload = try scene.scripted.uploads.first?.id
        let before = scene.origin.requests.count
        try await scene.download()
        #expect(scene.origin.requests.dropFirst(before).map { $0.range?.first } == [2 * Self.part])
        #expect(try scene.scripted.object(ObjectScene.key)?.uploadID == upload)
        #expect(try scene.scripted.requests(.createMultipartUpload).count == 1)
        // Each run has part numbers of its own.
        let numbers = try scene.scripted.requests(.uploadPart).compactMap(\.partNumber)
        #expect(Set(numbers).count == 3)
        try scene.expectObject(resource)
    }

    @Test func `each connection loses at most the part that it has begun`() async throws {
        let large = Resource(size: 6 * Self.part)
        let scene = try await ObjectScene(.scripted, .resource(large))
        // The first connection has received one part and begun another; the second has begun one.
        try await scene.interrupt(
            large,
            connections: 2,
            holdingAfter: Self.part + 500_000,
            othersAfter: 500_000,
            parts: 1
        )
        let before = scene.origin.requests.count
        try await scene.download(2)
        let starts = scene.requestedStarts.dropFirst(before)
        #expect(starts.first == Self.part)
        #expect(starts.allSatisfy { ($0 ?? 0) >= Self.part })
        #expect(try scene.scripted.requests(.uploadPart).count == 6)
        try scene.expectObject(large)
    }

    @Test func `a cancelled download that keeps nothing aborts its upload`() async throws {
        let scene = try await ObjectScene(.scripted, .resource(resource))
        try await scene.interrupt(
            resource,
            holdingAfter: Self.heldBytes,
            parts: 2,
            isKept: false
        )
        #expect(try scene.scripted.keys().isEmpty)
        try scene.expectNothingLeft()
    }

    @Test func `a paused download that is cancelled aborts its upload`() async throws {
        let scene = try await ObjectScene(.scripted, .resource(resource))
        let latch = Latch()
        scene.serve(Reply.resource(resource).holdAfterBytes(Self.heldBytes, until: latch))
        let session = DownloadScene.session()
        let task = session.downloadTask(with: try scene.request(), to: try scene.destination())
        task.resume()
        await latch.waitForArrivals()
        try await scene.scripted.waitUntil { requests in
            requests.contains { $0.operation == .uploadPart && $0.status == 200 && $0.hasEnded }
        }
        await task.pause()
        #expect(try scene.scripted.uploads.count == 1)
        task.cancel()
        await #expect(throws: DownloadError.self) { try await task.file }
        try await scene.scripted.waitUntil { requests in
            requests.contains { $0.operation == .abortMultipartUpload && $0.hasEnded }
        }
        #expect(try scene.scripted.uploads.isEmpty)
    }

    @Test func `another version on the server begins another upload`() async throws {
        let scene = try await interrupted()
        let former = try scene.scripted.uploads.first?.id
        let new = Resource(size: resource.size + 4096, seed: 2)
        scene.serve(.resource(new))
        try await scene.download()
        let aborted = try scene.scripted.requests(.abortMultipartUpload).map(\.uploadID)
        #expect(aborted == [former])
        try scene.expectObject(new)
    }

    @Test func `an upload that is not aborted is recorded after one request`() async throws {
        let scene = try await interrupted()
        let (bucket, new) = (try scene.scripted, Resource(size: 100_000, seed: 2))
        let former = try #require(bucket.uploads.first?.id)
        bucket.on(.answer(403, "AccessDenied")) { $0.operation == .abortMultipartUpload }
        scene.serve(.resource(new))
        try await scene.download()
        #expect(bucket.object(ObjectScene.key)?.bytes == new.bytes())
        guard case .upload(let upload, _) = try scene.ledger.recorded() else {
            Issue.record("no upload is recorded")
            return
        }
        #expect(upload.name.id == former)
        #expect(upload.state == .aborting)
        bucket.removeFaults()
        try await scene.download(1, scene.destination(.overwrite))
        try scene.expectObject(new)
    }

    @Test func `a file without validators begins another upload`() async throws {
        var weak = resource
        (weak.entityTag, weak.lastModified) = (nil, nil)
        let scene = try await ObjectScene(.scripted, .resource(weak))
        try await scene.interrupt(weak, holdingAfter: Self.heldBytes, parts: 2)
        let before = scene.origin.requests.count
        try await scene.download()
        #expect(scene.origin.requests.dropFirst(before).allSatisfy { ($0.range?.first ?? 0) == 0 })
        try scene.expectObject(weak)
    }

    @Test func `a digest is verified although parts are not sent again`() async throws {
        let digest = try #require(resource.digest(.sha256))
        let scene = try await interrupted { $0.checksum = .digest(digest) }
        let file = try await scene.download { $0.checksum = .digest(digest) }
        #expect(file.verifiedDigest == digest)
        #expect(try scene.scripted.requests(.uploadPart).count == 3)
        try scene.expectObject(resource)
    }

    @Test func `a run with a digest that receives nothing keeps the parts`() async throws {
        let digest = try #require(resource.digest(.sha256))
        let scene = try await interrupted { $0.checksum = .digest(digest) }
        scene.serve(.status(503))
        let error = try await scene.failure { settings in
            (settings.checksum, settings.retries) = (.digest(digest), 0)
        }
        #expect(error.code == .serverBusy)
        #expect(try scene.scripted.uploads.count == 1)
        scene.serve(.resource(resource))
        let file = try await scene.download { $0.checksum = .digest(digest) }
        #expect(file.verifiedDigest == digest)
        #expect(try scene.scripted.requests(.createMultipartUpload).count == 1)
        #expect(try scene.scripted.requests(.uploadPart).count == 3)
        try scene.expectObject(resource)
    }

    // MARK: - What the service has

    @Test func `an upload that somebody aborted begins again`() async throws {
        let scene = try await interrupted()
        let upload = try #require(try scene.scripted.uploads.first)
        let client = scene.bucket.client
        #expect(
            try client.ask("DELETE", ObjectScene.key, [("uploadId", upload.id)]).status == 204
        )
        try await scene.download()
        try scene.expectObject(resource)
    }

    @Test func `an upload that is aborted while it runs begins again`() async throws {
        let scene = try await ObjectScene(.scripted, .resource(resource))
        let (bucket, latch) = (try scene.scripted, Latch())
        bucket.on(.uploadPart, 2, .holdBefore(latch))
        async let file = scene.download()
        await latch.waitForArrivals()
        let upload = try #require(bucket.uploads.first)
        _ = try scene.bucket.client.ask("DELETE", ObjectScene.key, [("uploadId", upload.id)])
        latch.release()
        _ = try await file
        #expect(bucket.requests(.createMultipartUpload).count == 2)
        try scene.expectObject(resource)
    }

    @Test func `a part that the service does not have as recorded is fetched again`() async throws {
        let scene = try await interrupted()
        let upload = try #require(try scene.scripted.uploads.first)
        let number = try #require(upload.parts.keys.min())
        let answer = try scene.bucket.client.putPart(
            number,
            of: ObjectScene.key,
            upload.id,
            [1],
            ["x-amz-checksum-crc32c": ObjectChecksum(of: [1]).bytes.base64]
        )
        #expect(answer.status == 200)
        let before = scene.origin.requests.count
        try await scene.download()
        #expect(scene.origin.requests.dropFirst(before).first?.range?.first == 0)
        try scene.expectObject(resource)
    }

    @Test func `an upload that was completed before the end was recorded is found`() async throws {
        let scene = try await ObjectScene(.scripted, .resource(resource))
        let bucket = try scene.scripted
        // Neither the answer nor what follows reaches the first run.
        bucket.on(.cutAfter()) { $0.operation == .completeMultipartUpload && $0.ordinal == 1 }
        bucket.on(.cutBefore()) { $0.operation == .completeMultipartUpload && $0.ordinal > 1 }
        bucket.on(.cutBefore()) { $0.operation == .headObject && $0.ordinal > 1 }
        _ = try await scene.failure { $0.retries = 0 }
        #expect(bucket.object(ObjectScene.key) != nil)
        bucket.removeFaults()
        let before = scene.origin.requests.count
        try await scene.download()
        #expect(scene.origin.requests.count == before)
        try scene.expectObject(resource)
    }

    @Test func `a completed upload of unknown length is found, too`() async throws {
        let scene = try await ObjectScene(.scripted, Reply.resource(resource).chunked())
        let bucket = try scene.scripted
        bucket.on(.cutAfter()) { $0.operation == .completeMultipartUpload && $0.ordinal == 1 }
        bucket.on(.cutBefore()) { $0.operation == .completeMultipartUpload && $0.ordinal > 1 }
        bucket.on(.cutBefore()) { $0.operation == .headObject && $0.ordinal > 1 }
        _ = try await scene.failure { $0.retries = 0 }
        #expect(bucket.object(ObjectScene.key) != nil)
        bucket.removeFaults()
        let before = scene.origin.requests.count
        let file = try await scene.download()
        #expect(file.byteCount == resource.size)
        #expect(scene.origin.requests.count == before)
        #expect(bucket.keys() == [ObjectScene.key])
        try scene.expectObject(resource)
    }

    @Test(arguments: [false, true])
    func `a complete object is downloaded again unless its digest was verified`(
        wasVerified: Bool
    ) async throws {
        let digest = try #require(resource.digest(.sha256))
        let scene = try await ObjectScene(.scripted, .resource(resource))
        let bucket = try scene.scripted
        bucket.on(.cutAfter()) { $0.operation == .completeMultipartUpload && $0.ordinal == 1 }
        bucket.on(.cutBefore()) { $0.operation == .completeMultipartUpload && $0.ordinal > 1 }
        bucket.on(.cutBefore()) { $0.operation == .headObject && $0.ordinal > 1 }
        _ = try await scene.failure { settings in
            settings.retries = 0
            if wasVerified { settings.checksum = .digest(digest) }
        }
        let stored = try #require(bucket.object(ObjectScene.key)?.uploadID)
        bucket.removeFaults()
        let file = try await scene.download { $0.checksum = .digest(digest) }
        #expect(file.verifiedDigest == (wasVerified ? nil : digest))
        #expect((bucket.object(ObjectScene.key)?.uploadID == stored) == wasVerified)
        #expect(bucket.keys() == [ObjectScene.key])
        try scene.expectObject(resource)
    }

    @Test(arguments: [false, true])
    func `what became of one request is found out by the next run`(
        hasLength: Bool
    ) async throws {
        let small = Resource(size: 100_000)
        let reply = Reply.resource(small)
        let scene = try await ObjectScene(.scripted, hasLength ? reply : reply.chunked())
        let bucket = try scene.scripted
        bucket.on(.cutAfter()) { $0.operation == .putObject && $0.ordinal == 1 }
        bucket.on(.cutBefore()) { $0.operation == .putObject && $0.ordinal > 1 }
        _ = try await scene.failure { $0.retries = 0 }
        #expect(bucket.object(ObjectScene.key) != nil)
        #expect(scene.folder.list() == [scene.ledgerName])
        bucket.removeFaults()
        let before = scene.origin.requests.count
        let file = try await scene.download()
        #expect(file.path == "s3://photos/a%20b/disk.bin")
        #expect(!file.wasAlreadyThere)
        #expect(scene.origin.requests.count == before)
        #expect(bucket.keys() == [ObjectScene.key])
        try scene.expectObject(small)
    }

    @Test func `one request that had no effect is sent by the next run`() async throws {
        let small = Resource(size: 100_000)
        let scene = try await ObjectScene(.scripted, .resource(small))
        let bucket = try scene.scripted
        bucket.on(.cutBefore()) { $0.operation == .putObject }
        _ = try await scene.failure { $0.retries = 0 }
        #expect(scene.folder.list() == [scene.ledgerName])
        bucket.removeFaults()
        try await scene.download()
        #expect(bucket.requests(.abortMultipartUpload).isEmpty)
        try scene.expectObject(small)
    }

    // MARK: - The record

    @Test func `a damaged record begins another upload and aborts the former`() async throws {
        let scene = try await interrupted()
        let former = try #require(try scene.scripted.uploads.first?.id)
        var bytes = try scene.folder.read(scene.ledgerName)
        bytes[bytes.count - 40] ^= 1
        try scene.folder.write(scene.ledgerName, bytes)
        try await scene.download()
        #expect(try scene.scripted.requests(.abortMultipartUpload).map(\.uploadID) == [former])
        try scene.expectObject(resource)
    }

    @Test func `a record that names no upload begins another one`() async throws {
        let scene = try await interrupted()
        try scene.folder.write(scene.ledgerName, Array("nothing".utf8))
        try await scene.download()
        #expect(try scene.scripted.object(ObjectScene.key)?.bytes == resource.bytes())
        // Nobody knows the former upload any more.
        #expect(try scene.scripted.uploads.count == 1)
    }

    @Test func `recorded parts that the file cannot have are fetched again`() async throws {
        let scene = try await interrupted()
        let ledger = scene.ledger
        guard case .upload(let upload, let parts) = try ledger.recorded() else {
            Issue.record("no upload is recorded")
            return
        }
        let first = try #require(parts.first).part
        let short = UploadedPart(number: 4, bytes: 1, tag: first.tag, checksum: first.checksum)
        try ledger.record(
            [
                RecordedPart(index: 1, part: short),
                RecordedPart(index: 3, part: first),
                RecordedPart(index: Int(UInt32.max), part: first),
            ],
            of: upload.name.id
        )
        // Nothing but the record shows which parts there are.
        try scene.scripted.on(.answer(403, "AccessDenied")) { $0.operation == .listParts }
        let before = scene.origin.requests.count
        try await scene.download()
        #expect(scene.origin.requests.dropFirst(before).map { $0.range?.first } == [Self.part])
        try scene.expectObject(resource)
    }

    @Test func `an upload that is to be aborted is not continued`() async throws {
        let scene = try await interrupted()
        let ledger = scene.ledger
        guard case .upload(var upload, _) = try ledger.recorded() else {
            Issue.record("no upload is recorded")
            return
        }
        upload.state = .aborting
        try ledger.record(upload)
        try await scene.download()
        let aborted = try scene.scripted.requests(.abortMultipartUpload).map(\.uploadID)
        #expect(aborted == [upload.name.id])
        #expect(try scene.scripted.requests(.createMultipartUpload).count == 2)
        try scene.expectObject(resource)
    }

    // MARK: - Parts that were recorded

    /// Records an upload of which the service has the first part, whose size is that of all parts.
    private func recordFirstPart(
        _ bytes: [UInt8],
        of file: Resource,
        in scene: ObjectScene,
        sha256: [UInt8]? = nil
    ) throws {
        let client = scene.bucket.client
        let fields = [
            "x-amz-meta-pawl": "test:0:1", "x-amz-checksum-algorithm": "CRC32C",
        ]
        let upload = try client.createUpload(ObjectScene.key, fields)
        let checksum = ObjectChecksum(of: bytes)
        let answer = try client.putPart(
            1,
            of: ObjectScene.key,
            upload,
            bytes,
            ["x-amz-checksum-crc32c": checksum.bytes.base64]
        )
        var representation = Representation(total: file.size)
        representation.entityTag = file.entityTag.flatMap { EntityTag(parsing: $0) }
        let ledger = scene.ledger
        try ledger.record(
            RecordedUpload(
                name: UploadName(id: upload, address: "s3://photos/a%20b/disk.bin"),
                mark: "test:0:1",
                representation: representation,
                source: scene.origin.url("/disk.bin"),
                partBytes: Int64(bytes.count)
            )
        )
        let part = UploadedPart(
            number: 1,
            bytes: Int64(bytes.count),
            tag: try #require(answer["ETag"]),
            checksum: checksum,
            sha256: sha256
        )
        try ledger.record([RecordedPart(index: 0, part: part)], of: upload)
    }

    @Test(arguments: [false, true])
    func `a part with the same checksum and other bytes is sent again`(
        hasDigest: Bool
    ) async throws {
        let scene = try await ObjectScene(.scripted, .resource(resource))
        let right = resource.bytes(ByteRange(0, Self.part))
        var forged = right
        // The polynomial of CRC-32C: this difference does not change the checksum.
        for (index, bits) in ([0xF1, 0x76, 0xEC, 0x05, 0x01] as [UInt8]).enumerated() {
            forged[1000 + index] ^= bits
        }
        #expect(ObjectChecksum(of: forged) == ObjectChecksum(of: right))
        let sha256 = hasDigest ? SHA256.digest(of: forged) : nil
        try recordFirstPart(forged, of: resource, in: scene, sha256: sha256)
        let digest = try #require(resource.digest(.sha256))
        let file = try await scene.download { $0.checksum = .digest(digest) }
        #expect(file.verifiedDigest == digest)
        // The forged part is one of them.
        #expect(try scene.scripted.requests(.uploadPart).count == 4)
        try scene.expectObject(resource)
    }

    /// Records an upload with large parts, of which the service has the first; returns their size.
    private func recordLargeParts(_ large: Resource, _ scene: ObjectScene) throws -> Int64 {
        let size = Int64(9 << 20)
        try recordFirstPart(large.bytes(ByteRange(0, size)), of: large, in: scene)
        return size
    }

    @Test(arguments: [1, 2])
    func `large parts are sent while they arrive`(connections: Int) async throws {
        let large = Resource(size: 30_000_000)
        let scene = try await ObjectScene(.scripted, .resource(large))
        let size = try recordLargeParts(large, scene)
        try await scene.download(connections)
        let streamed = try scene.scripted.requests(.uploadPart)
            .filter { $0["x-amz-trailer"] != nil }
        #expect(streamed.count == 3)
        let starts = scene.origin.requests.compactMap { $0.range?.first }
        #expect(starts.allSatisfy { $0 >= size })
        try scene.expectObject(large)
    }

    @Test func `a digest is verified with parts that are sent while they arrive`() async throws {
        let large = Resource(size: 30_000_000)
        let scene = try await ObjectScene(.scripted, .resource(large))
        _ = try recordLargeParts(large, scene)
        let digest = try #require(large.digest(.sha256))
        let file = try await scene.download { $0.checksum = .digest(digest) }
        #expect(file.verifiedDigest == digest)
        let streamed = try scene.scripted.requests(.uploadPart)
            .filter { $0["x-amz-trailer"] != nil }
        #expect(streamed.count == 4)
        try scene.expectObject(large)
    }

    @Test func `a large part whose upload breaks is fetched again`() async throws {
        let large = Resource(size: 30_000_000)
        let scene = try await ObjectScene(.scripted, .resource(large))
        let size = try recordLargeParts(large, scene)
        try scene.scripted.on(.uploadPart, 3, .cutBody(after: 1_000_000))
        try await scene.download(2)
        let starts = scene.origin.requests.compactMap { $0.range?.first }
        #expect(starts.allSatisfy { $0 >= size })
        try scene.expectObject(large)
    }

    @Test func `a source that breaks continues within a large part`() async throws {
        let large = Resource(size: 30_000_000)
        let scene = try await ObjectScene(.scripted, .resource(large))
        let size = try recordLargeParts(large, scene)
        let broken = Reply.resource(large).afterBytes(12_000_000, .reset)
        scene.serve(Reply.resource(large).choosing(broken) { $0.ordinal == 1 })
        try await scene.download()
        #expect(scene.origin.requests.last?.range?.first.map { $0 % size != 0 } == true)
        #expect(try scene.scripted.requests(.uploadPart).count == 4)
        try scene.expectObject(large)
    }
}
