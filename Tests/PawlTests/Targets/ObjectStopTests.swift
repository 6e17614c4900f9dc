import Pawl
import PawlCore
import PawlTesting
import Testing

/// Downloads that are stopped while they wait for a service that does not answer.
@Suite(.timeLimit(.minutes(5)))
struct ObjectStopTests {
    private let resource = Resource(size: ObjectScene.size)

    /// Runs a download until the bucket holds a request, pauses it, and completes it later.
    private func pauseAndComplete(
        _ scene: ObjectScene,
        holding isHeld: @escaping @Sendable (BucketRequest) -> Bool
    ) async throws {
        let (bucket, latch) = (try scene.scripted, Latch())
        bucket.on(.holdBefore(latch), where: isHeld)
        let session = DownloadScene.session()
        let task = session.downloadTask(with: try scene.request(), to: try scene.destination())
        task.resume()
        await latch.waitForArrivals()
        await task.pause()
        #expect(bucket.object(ObjectScene.key) == nil)
        bucket.removeFaults()
        task.resume()
        _ = try await task.file
        latch.release()
        try scene.expectObject(resource)
    }

    @Test func `a pause does not wait for the answer whether there is an object`() async throws {
        let scene = try await ObjectScene(.scripted, .resource(resource))
        try await pauseAndComplete(scene) { $0.operation == .headObject }
    }

    @Test func `a pause does not wait for the completion of the upload`() async throws {
        let scene = try await ObjectScene(.scripted, .resource(resource))
        try await pauseAndComplete(scene) { $0.operation == .completeMultipartUpload }
        #expect(try scene.scripted.requests(.createMultipartUpload).count == 1)
        #expect(try scene.scripted.requests(.uploadPart).count == 3)
    }

    @Test func `a pause does not wait for a service that asks to wait`() async throws {
        let scene = try await ObjectScene(.scripted, .resource(resource))
        let bucket = try scene.scripted
        bucket.on(
            .change { plan in
                plan.status = 503
                plan.setField("Retry-After", "3600")
            }
        ) { $0.operation == .headObject }
        let session = DownloadScene.session()
        let task = session.downloadTask(with: try scene.request(), to: try scene.destination())
        task.resume()
        await bucket.waitUntil { $0.contains { $0.operation == .headObject && $0.hasEnded } }
        await task.pause()
        #expect(bucket.requests(.headObject).count == 1)
        bucket.removeFaults()
        task.resume()
        _ = try await task.file
        try scene.expectObject(resource)
    }

    @Test func `the time limit ends the wait for the answer whether there is an object`()
        async throws
    {
        let scene = try await ObjectScene(.scripted, .resource(resource))
        let (bucket, latch) = (try scene.scripted, Latch())
        bucket.on(.holdBefore(latch)) { $0.operation == .headObject }
        let error = try await scene.failure { $0.maximumDuration = .milliseconds(200) }
        #expect(error.code == .timedOut)
        #expect(scene.origin.requests.isEmpty)
        latch.release()
    }

    @Test func `the time limit ends the wait for the completion of the upload`() async throws {
        let scene = try await ObjectScene(.scripted, .resource(resource))
        let (bucket, latch) = (try scene.scripted, Latch())
        bucket.on(.holdBefore(latch)) { $0.operation == .completeMultipartUpload }
        let error = try await scene.failure { $0.maximumDuration = .seconds(5) }
        #expect(error.code == .timedOut)
        #expect(bucket.requests(.completeMultipartUpload).count == 1)
        bucket.removeFaults()
        try await scene.download()
        latch.release()
        // The next run completes the upload.
        #expect(bucket.requests(.uploadPart).count == 3)
        try scene.expectObject(resource)
    }

    @Test func `a cancelled download does not wait for its last part`() async throws {
        let scene = try await ObjectScene(.scripted, .resource(resource))
        let (bucket, latch) = (try scene.scripted, Latch())
        bucket.on(.uploadPart, 3, .holdBody(latch))
        let session = DownloadScene.session()
        let task = session.downloadTask(with: try scene.request(), to: try scene.destination())
        task.resume()
        await latch.waitForArrivals()
        task.end(keeping: false)
        await #expect(throws: DownloadError.self) { try await task.file }
        #expect(bucket.keys().isEmpty)
        try scene.expectNothingLeft()
    }
}
