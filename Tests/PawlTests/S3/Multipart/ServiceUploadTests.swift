import Pawl
import PawlCore
import PawlTesting
import PawlTransport
import Testing
import struct FoundationEssentials.URL

/// Uploads to the scripted bucket, which checks all that Pawl sends, and to moto.
@Suite(.timeLimit(.minutes(5)))
struct ServiceUploadTests {
    /// A bucket and a way to it.
    private final class Bucket: Sendable {
        private let moto: MotoServer?
        private let scripted: ScriptedBucket?
        private let endpoint: String
        let network = CurlTransport(loops: 1)
        let transport: S3Transport
        private let credentials: Credentials

        /// - Parameters:
        ///   - checksSignatures: Whether moto does; the scripted bucket always does.
        init(_ kind: BucketKind, checksSignatures: Bool = false) async throws {
            switch kind {
            case .moto:
                let server = try await MotoServer()
                let (id, secret) =
                    checksSignatures ? try await server.checkSignatures() : ("test", "test")
                credentials = Credentials(name: id, password: secret)
                (moto, scripted, endpoint) = (server, nil, server.endpoint)
            case .scripted:
                let bucket = try ScriptedBucket()
                let owner = bucket.credentials
                credentials = Credentials(name: owner.keyID, password: owner.secret)
                (moto, scripted, endpoint) = (nil, bucket, bucket.endpoint())
            }
            transport = S3Transport(
                over: network,
                surroundings: S3Surroundings(variable: { _ in nil }, file: { _ in nil })
            )
        }

        deinit { network.shutDown() }

        func template(_ key: String) throws -> TransferRequest {
            let address = "s3://\(MotoServer.bucket)/\(key)"
            var template = TransferRequest(url: try #require(URL(string: address)))
            template.credentials = credentials
            template.connection.s3.endpoint = URL(string: endpoint)
            template.connection.proxy = .none
            return template
        }

        /// Stores an object, as another client would.
        func store(_ bytes: [UInt8], as key: String) async throws {
            scripted?.store(bytes, as: key.percentDecoded)
            try await moto?.store(bytes, as: key)
        }

        func target(_ key: String = "a%20b/c.iso") throws -> ObjectTarget {
            try #require(ObjectTarget(try template(key)))
        }

        func reply(_ request: TransferRequest) async -> ServiceReply {
            await transport.reply(to: request)
        }

        func head(_ target: ObjectTarget) async throws -> ObjectHead? {
            try ObjectHead(await reply(ObjectHead.request(for: target)))
        }

        func begin(_ target: ObjectTarget) async throws -> MultipartUpload {
            let facts = ObjectFacts(metadata: ["pawl": "q-1"])
            let request = MultipartUpload.beginning(of: target, facts)
            return try MultipartUpload(begunBy: await reply(request), of: target)
        }

        func send(
            _ number: Int,
            _ content: ObjectContent,
            to upload: MultipartUpload
        ) async throws -> UploadedPart {
            let part = upload.part(number, content)
            return try upload.uploadedPart(number, part, await reply(part.request))
        }

        func list(_ upload: MultipartUpload) async throws -> [ListedPart] {
            try upload.listedParts(await reply(upload.parts())).parts
        }

        func unfinished() async throws -> [UnfinishedUploads.Entry] {
            var uploads = try #require(UnfinishedUploads(below: try template("")))
            var entries: [UnfinishedUploads.Entry] = []
            while let page = uploads.nextPage() { entries += try uploads.read(await reply(page)) }
            return entries
        }

        func content(of key: String = "a%20b/c.iso") async throws -> [UInt8] {
            await reply(try template(key)).body
        }
    }

    private static let first = Resource(size: 5 << 20).bytes()
    private static let last = Resource(size: 100_001).bytes()

    @Test(arguments: BucketKind.available, [false, true])
    func `an object in parts, from memory and streamed`(kind: BucketKind, isStreamed: Bool)
        async throws
    {
        let bucket = try await Bucket(kind, checksSignatures: true)
        let target = try bucket.target()
        #expect(try await bucket.head(target) == nil)
        let upload = try await bucket.begin(target)
        func content(_ bytes: [UInt8]) -> ObjectContent {
            guard isStreamed else { return .memory(bytes) }
            let source = ScriptedBody(bytes, isRepeatable: false)
            return .streamed(source, bytes: Int64(bytes.count))
        }
        // The last one first: only the numbers count, and they may have gaps.
        let last = try await bucket.send(9, content(Self.last), to: upload)
        let first = try await bucket.send(2, content(Self.first), to: upload)
        #expect(first.checksum == ObjectChecksum(of: Self.first))
        let listed = try await bucket.list(upload)
        #expect(listed.map(\.number) == [2, 9])
        #expect(zip(listed, [first, last]).allSatisfy { $0.matches($1) })
        let parts = [first, last]
        let completion = upload.completion(of: parts, if: .absent)
        let tag = try upload.completedTag(of: parts, await bucket.reply(completion))
        // The same list again has no other effect.
        #expect(try upload.completedTag(of: parts, await bucket.reply(completion)) == tag)
        let head = try #require(try await bucket.head(target))
        #expect(head.bytes == Int64(Self.first.count + Self.last.count))
        #expect(head.tag == tag)
        #expect(head.metadata["pawl"] == "q-1")
        #expect(try await bucket.content() == Self.first + Self.last)
    }

    @Test(arguments: BucketKind.available)
    func `an object is not completed over another one`(kind: BucketKind) async throws {
        let bucket = try await Bucket(kind)
        let target = try bucket.target()
        let upload = try await bucket.begin(target)
        let part = try await bucket.send(1, .memory(Self.last), to: upload)
        try await bucket.store([1], as: "a%20b/c.iso")
        let reply = await bucket.reply(upload.completion(of: [part], if: .absent))
        let failure = failure { _ = try upload.completedTag(of: [part], reply) }
        #expect(failure?.refusal?.isConditionUnmet == true)
        #expect(try await bucket.content() == [1])
    }

    @Test(arguments: BucketKind.available)
    func `a part that is too small and a part that is not there are refused`(kind: BucketKind)
        async throws
    {
        let bucket = try await Bucket(kind)
        let upload = try await bucket.begin(try bucket.target())
        let small = try await bucket.send(1, .memory([1]), to: upload)
        let other = try await bucket.send(2, .memory([2]), to: upload)
        let reply = await bucket.reply(upload.completion(of: [small, other], if: nil))
        let failure = failure { _ = try upload.completedTag(of: [small, other], reply) }
        #expect(failure?.refusal?.code == "EntityTooSmall")
        let missing = UploadedPart(number: 5, bytes: 1, tag: "\"x\"", checksum: small.checksum)
        let second = await bucket.reply(upload.completion(of: [missing], if: nil))
        #expect(
            PawlTests.failure { _ = try upload.completedTag(of: [missing], second) }?
                .refusal?.code == "InvalidPart"
        )
    }

    @Test(arguments: BucketKind.available)
    func `unfinished uploads are listed until they are aborted`(kind: BucketKind) async throws {
        let bucket = try await Bucket(kind)
        let upload = try await bucket.begin(try bucket.target())
        let other = try await bucket.begin(try bucket.target("d"))
        #expect(Set(try await bucket.unfinished().map(\.id)) == [upload.id, other.id])
        #expect(
            try await bucket.unfinished().map { String(decoding: $0.key, as: UTF8.self) }.sorted()
                == ["a b/c.iso", "d"]
        )
        for _ in 0..<2 { try upload.checkAborted(await bucket.reply(upload.abortion())) }
        #expect(try await bucket.unfinished().map(\.id) == [other.id])
        let late = upload.part(1, .memory([1]))
        let reply = await bucket.reply(late.request)
        let failure = failure { _ = try upload.uploadedPart(1, late, reply) }
        #expect(failure != nil)
        // moto fails with status 500.
        if kind == .scripted { #expect(failure?.refusal?.isWithoutUpload == true) }
    }

    @Test(arguments: BucketKind.available, [false, true])
    func `an object as a whole, under a condition`(kind: BucketKind, isStreamed: Bool) async throws
    {
        let bucket = try await Bucket(kind, checksSignatures: true)
        let target = try bucket.target()
        func put(
            _ bytes: [UInt8],
            if condition: WriteCondition?
        ) async throws -> StoredContent {
            let put = ObjectPut(target, ObjectFacts(metadata: ["pawl": "q-1"]), if: condition)
            let source = ScriptedBody(bytes)
            let upload = put.upload(
                isStreamed ? .streamed(source, bytes: Int64(bytes.count)) : .memory(bytes)
            )
            return try put.stored(upload, await bucket.reply(upload.request))
        }
        let stored = try await put(Self.last, if: .absent)
        #expect(stored.checksum == ObjectChecksum(of: Self.last))
        await #expect(throws: ObjectFailure.self) { _ = try await put([1], if: .absent) }
        let head = try #require(try await bucket.head(target))
        #expect(head.tag == stored.tag)
        #expect(head.checksum == stored.checksum)
        #expect(try await bucket.content() == Self.last)
        await #expect(throws: ObjectFailure.self) {
            _ = try await put([1], if: .unchanged(tag: "\"other\""))
        }
        _ = try await put([1], if: .unchanged(tag: stored.tag))
        #expect(try await bucket.content() == [1])
    }

    @Test(arguments: BucketKind.available)
    func `a cancelled task ends the exchange`(kind: BucketKind) async throws {
        let bucket = try await Bucket(kind)
        let upload = try await bucket.begin(try bucket.target())
        let source = ScriptedBody([1], isComplete: false)
        let part = upload.part(1, .streamed(source, bytes: 2))
        let task = Task { await bucket.reply(part.request) }
        await source.waitForPause()
        task.cancel()
        let reply = await task.value
        #expect(PawlTests.failure { _ = try upload.uploadedPart(1, part, reply) } == .cancelled)
    }
}
