import Pawl
import PawlCore
import PawlTesting
import Testing

/// Downloads that become objects of a service that fails.
@Suite(.timeLimit(.minutes(5)))
struct ObjectFaultTests {
    /// A fault by its name, for the list of tests.
    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let fault: BucketFault

        init(_ name: String, _ fault: BucketFault) { (testDescription, self.fault) = (name, fault) }
    }

    private static let partFaults = [
        Fault("500", .answer(500, "InternalError")),
        Fault("503", .answer(503, "SlowDown")),
        Fault("500 after the effect", .answer(500, "InternalError", afterEffect: true)),
        Fault("cut before", .cutBefore()),
        Fault("cut after", .cutAfter()),
        Fault("cut in the body", .cutBody(after: 500_000)),
        Fault("other digests", .wrongDigests),
        Fault("slow", .slowBody(bytesPerSecond: 16 << 20)),
    ]

    private static let completionFaults = [
        Fault("500", .answer(500, "InternalError")),
        Fault("500 after the effect", .answer(500, "InternalError", afterEffect: true)),
        Fault("200 with an error", .errorDocument("InternalError")),
        Fault(
            "200 with an error after the effect",
            .errorDocument("InternalError", afterEffect: true)
        ),
        Fault("conflict", .answer(409, "ConditionalRequestConflict")),
        Fault("wrong parts that are right", .answer(400, "InvalidPart")),
        Fault("cut before", .cutBefore()),
        Fault("cut after", .cutAfter()),
    ]

    private let resource = Resource(size: ObjectScene.size)

    @Test(arguments: partFaults)
    func `a part is sent again after a fault`(fault: Fault) async throws {
        let scene = try await ObjectScene(.scripted, .resource(resource))
        try scene.scripted.on(.uploadPart, 2, fault.fault)
        try await scene.download()
        #expect(scene.origin.requests.count == 1)
        try scene.expectObject(resource)
    }

    @Test(arguments: completionFaults, [BucketTraits.RepeatedCompletion.noSuchUpload, .sameAnswer])
    func `what became of a completion is found out`(
        fault: Fault,
        repeated: BucketTraits.RepeatedCompletion
    ) async throws {
        let scene = try await ObjectScene(.scripted, .resource(resource))
        try scene.scripted.setTraits { $0.repeatedCompletion = repeated }
        try scene.scripted.on(.completeMultipartUpload, 1, fault.fault)
        try await scene.download()
        #expect(scene.origin.requests.count == 1)
        try scene.expectObject(resource)
    }

    @Test(arguments: [Fault("before", .cutBefore()), Fault("after", .cutAfter())])
    func `what became of a request for the whole object is found out`(fault: Fault) async throws {
        let small = Resource(size: 100_000)
        let scene = try await ObjectScene(.scripted, .resource(small))
        try scene.scripted.on(.putObject, 1, fault.fault)
        try await scene.download()
        #expect(try scene.scripted.keys() == [ObjectScene.key])
        try scene.expectObject(small)
    }

    @Test func `a service without conditions is asked before`() async throws {
        let scene = try await ObjectScene(.scripted, .resource(resource))
        try scene.scripted.setTraits { $0.conditions = .refused }
        try await scene.download()
        try scene.expectObject(resource)
    }

    @Test(
        arguments: [ExistingFilePolicy.fail, .skip, .rename],
        [100_000, ObjectScene.size] as [Int64]
    )
    func `without conditions, an object that is stored meanwhile is not replaced`(
        policy: ExistingFilePolicy,
        size: Int64
    ) async throws {
        let file = Resource(size: size)
        let scene = try await ObjectScene(.scripted, .resource(file))
        let bucket = try scene.scripted
        bucket.setTraits { $0.conditions = .refused }
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

    @Test(arguments: [100_000, ObjectScene.size] as [Int64])
    func `without conditions and without a look, no object is replaced`(
        size: Int64
    ) async throws {
        let file = Resource(size: size)
        let scene = try await ObjectScene(.scripted, .resource(file))
        let bucket = try scene.scripted
        bucket.store([1], as: ObjectScene.key)
        bucket.setTraits { $0.conditions = .refused }
        bucket.on(.answer(403, "AccessDenied")) { $0.operation == .headObject }
        let error = try await scene.failure()
        #expect(error.code == .unauthorized)
        #expect(error.retryClass == .never)
        #expect(bucket.object(ObjectScene.key)?.bytes == [1])
        // If it may be replaced, nothing has to be found out.
        try await scene.download(1, scene.destination(.overwrite))
        try scene.expectObject(file)
    }

    @Test func `a service that cannot be reached is named by its bucket`() async throws {
        let scene = try await ObjectScene(.scripted, .resource(resource))
        try scene.scripted.stop()
        let error = try await scene.failure { $0.retries = 0 }
        #expect(error.code == .network)
        #expect(error.message.contains("s3://photos"), "\(error)")
    }

    @Test func `a service that refuses the upload ends the download`() async throws {
        let scene = try await ObjectScene(.scripted, .resource(resource))
        try scene.scripted.on(.answer(403, "AccessDenied")) {
            $0.operation == .createMultipartUpload
        }
        let error = try await scene.failure()
        #expect(error.code == .unauthorized)
        #expect(error.retryClass == .never)
        try scene.expectNothingLeft()
    }

    @Test func `a service that refuses every part keeps those that it has`() async throws {
        let scene = try await ObjectScene(.scripted, .resource(resource))
        try scene.scripted.on(.answer(403, "AccessDenied")) {
            $0.operation == .uploadPart && $0.ordinal > 1
        }
        // The second part arrives when the first one is recorded.
        let (ledger, latch) = (ObservedLedger(ledger: scene.ledger), Latch())
        var destination = try scene.destination()
        destination.ledger = ledger
        scene.serve(
            Reply.resource(resource).holdAfterBytes(ObjectScene.part + 100_000, until: latch)
        )
        async let failure = scene.failure(destination)
        _ = await ledger.parts.wait { $0 > 0 }
        latch.release()
        let error = try await failure
        #expect(error.code == .unauthorized)
        #expect(try scene.scripted.uploads.count == 1)
        try scene.scripted.removeFaults()
        try await scene.download()
        #expect(scene.requestedStarts.last == ObjectScene.part)
        try scene.expectObject(resource)
    }
}
