import PawlCore
import PawlTesting
import Testing

/// "Finishing": the digest.
@Suite(.timeLimit(.minutes(5)), .inTurn)
struct DigestTests {
    private let resource = Resource(size: Scene.size)
    private let corrupt = Scene.name + ".corrupt"

    @Test(arguments: DigestAlgorithm.allCases, Scene.connectionCounts)
    func `a digest given by the user is verified`(
        algorithm: DigestAlgorithm,
        connections: Int
    ) async throws {
        let digest = try #require(resource.digest(algorithm))
        let scene = try Scene(.resource(resource))
        var settings = scene.settings(connections)
        settings.checksum = .digest(digest)
        let file = try await scene.download(settings)
        try scene.expectFile(resource)
        #expect(file.verifiedDigest == digest)
    }

    @Test(arguments: Start.allCases, Scene.connectionCounts)
    func `a wrong digest keeps the bytes as corrupt and delivers no file`(
        start: Start,
        connections: Int
    ) async throws {
        let scene = try Scene()
        var settings = scene.settings(connections)
        try await scene.begin(start, of: resource, settings, then: .resource(resource))
        let other = Resource(size: Scene.size, seed: 2)
        settings.checksum = .digest(try #require(other.digest(.sha256)))
        let error = try await scene.failure(settings)
        #expect(error.code == .checksumMismatch)
        #expect(error.advice.contains(corrupt))
        try scene.expectFile(resource, name: corrupt)
    }

    @Test func `a corrupt file replaces that of an earlier run, and no other file`() async throws {
        let scene = try Scene(.resource(resource))
        var settings = scene.settings(1)
        let other = Resource(size: Scene.size, seed: 2)
        settings.checksum = .digest(try #require(other.digest(.md5)))
        for _ in 0..<3 { _ = try await scene.failure(settings) }
        #expect(scene.folder.list() == [corrupt])
        // Another URL's file, and one that somebody has written to, are not replaced.
        scene.origin.route("/b/disk.bin", .resource(resource))
        _ = try await scene.failure(settings, from: "/b/disk.bin")
        #expect(scene.folder.list() == [corrupt, corrupt + ".1"])
        try scene.folder.write(corrupt, [1])
        _ = try await scene.failure(settings)
        #expect(scene.folder.list() == [corrupt, corrupt + ".1", corrupt + ".2"])
        #expect(try scene.folder.read(corrupt) == [1])
    }

    /// The header field in which a server sends the digest of the whole file.
    enum DigestField: String, CaseIterable, Sendable {
        case reprDigest, digest, contentMD5, google, amazon

        func applied(to reply: Reply, of resource: Resource) -> Reply {
            func text(_ algorithm: DigestAlgorithm) -> String {
                Base64.text(resource.digest(algorithm)?.bytes ?? [])
            }
            return switch self {
            case .reprDigest: reply.setting("Repr-Digest", "sha-256=:\(text(.sha256)):")
            case .digest: reply.setting("Digest", "SHA-256=\(text(.sha256)),md5=AAAA")
            case .contentMD5: reply.setting("Content-MD5", text(.md5))
            case .google: reply.setting("x-goog-hash", "crc32c=AAAAAA==,md5=\(text(.md5))")
            case .amazon: reply.setting("x-amz-checksum-sha256", text(.sha256))
            }
        }
    }

    @Test(arguments: DigestField.allCases, Scene.connectionCounts)
    func `a digest in the head is verified automatically`(
        field: DigestField,
        connections: Int
    ) async throws {
        let scene = try Scene(field.applied(to: .resource(resource), of: resource))
        let file = try await scene.download(scene.settings(connections))
        try scene.expectFile(resource)
        let digest = try #require(file.verifiedDigest)
        #expect(digest == resource.digest(digest.algorithm))
    }

    @Test(arguments: DigestField.allCases, Scene.connectionCounts)
    func `a wrong digest in the head delivers no file`(
        field: DigestField,
        connections: Int
    ) async throws {
        let other = Resource(size: Scene.size, seed: 2)
        let scene = try Scene(field.applied(to: .resource(resource), of: other))
        let error = try await scene.failure(scene.settings(connections))
        #expect(error.code == .checksumMismatch)
        #expect(error.advice.contains("set `checksum` to `.none`"))
        try scene.expectFile(resource, name: corrupt)
    }

    @Test func `the digest of a part in Digest is not that of the file`() async throws {
        let scene = try Scene()
        let settings = scene.settings(1)
        let part = Resource(size: 1000, seed: 2)
        let reply = DigestField.digest.applied(to: .resource(resource), of: part)
        try await scene.begin(.resumed, of: resource, settings, then: reply)
        let file = try await scene.download(settings)
        try scene.expectFile(resource)
        #expect(file.verifiedDigest == nil)
    }

    @Test func `a digest in the head of a resumed download is verified, too`() async throws {
        let scene = try Scene()
        let settings = scene.settings(4)
        let reply = DigestField.reprDigest.applied(to: .resource(resource), of: resource)
        try await scene.begin(.resumed, of: resource, settings, then: reply)
        let file = try await scene.download(settings)
        #expect(file.verifiedDigest == resource.digest(.sha256))
    }

    @Test func `no digest is verified if the user wants none`() async throws {
        let other = Resource(size: Scene.size, seed: 2)
        let reply = DigestField.reprDigest.applied(to: .resource(resource), of: other)
        let scene = try Scene(reply)
        var settings = scene.settings(1)
        settings.checksum = .none
        let file = try await scene.download(settings)
        try scene.expectFile(resource)
        #expect(file.verifiedDigest == nil)
    }

    @Test func `a file that changed during a run is checked against its own digest`() async throws {
        let new = Resource(size: Scene.size, seed: 2)
        let field = DigestField.reprDigest
        let first = field.applied(to: .resource(resource), of: resource)
        let scene = try Scene()
        scene.serve(
            field.applied(to: .resource(new), of: new)
                .choosing(first.afterBytes(300_000, .reset)) { $0.ordinal == 1 }
        )
        let file = try await scene.download(scene.settings(1))
        try scene.expectFile(new)
        #expect(file.verifiedDigest == new.digest(.sha256))
    }
}
