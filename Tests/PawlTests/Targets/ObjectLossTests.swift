import Pawl
import PawlCore
import PawlTesting
import Testing

/// Downloads that become objects of a service that never gets further.
@Suite(.timeLimit(.minutes(5)))
struct ObjectLossTests {
    private let resource = Resource(size: ObjectScene.size)

    @Test(arguments: [1, 2])
    func `a service that loses each upload ends the download`(lost: Int) async throws {
        let scene = try await ObjectScene(.scripted, .resource(resource))
        // The first part that is sent is stored or not, and no other.
        try scene.scripted.on(.answer(404, "NoSuchUpload")) {
            $0.operation == .uploadPart && $0.ordinal >= lost
        }
        let error = try await scene.failure()
        #expect(error.code == .badResponse)
        #expect(error.retryClass == .never)
        #expect(try scene.scripted.requests(.createMultipartUpload).count > 2)
        #expect(try scene.scripted.keys().isEmpty)
    }

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
