import Pawl
import PawlCore
import PawlTesting
import Testing

/// Downloads that become objects of a service that never gets further.
@Suite(.timeLimit(.minutes(5)))
struct ObjectLossTests {
    private let resource = Resource(size: ObjectScene.size)

    @Test func `an object that may not be looked at is not completed again`() async throws {
        let scene = try await ObjectScene(.scripted, .resource(resource))
        let bucket = try scene.scripted
        bucket.store([1], as: ObjectScene.key)
        bucket.on(.answer(403, "AccessDenied")) { $0.operation == .headObject }
        let error = try await scene.failure()
        #expect(error.code == .fileExists)
        #expect(bucket.requests(.completeMultipartUpload).count == 1)
        #expect(bucket.object(ObjectScene.key)?.bytes == [1])
    }
}
