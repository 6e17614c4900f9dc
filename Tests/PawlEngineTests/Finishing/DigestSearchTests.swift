import PawlCore
import PawlTesting
import Testing

/// Checksum files beside the file.
@Suite(.timeLimit(.minutes(5)), .inTurn)
struct DigestSearchTests {
    private let resource = Resource(size: Scene.size)

    private func line(_ resource: Resource, _ algorithm: DigestAlgorithm = .sha256) throws -> String
    {
        "\(try #require(resource.digest(algorithm)).hexadecimal)  \(Scene.name)\n"
    }

    private func settings(_ scene: Scene) -> DownloadSettings {
        var settings = scene.settings(1)
        settings.checksum = .automatic
        return settings
    }

    private func serve(_ scene: Scene, _ text: String, at path: String) {
        scene.origin.route(path, .resource(Resource(text: text)))
    }

    @Test(arguments: ["/disk.bin.sha256", "/SHA256SUMS", "/CHECKSUMS"])
    func `a file that has the checksum is accepted`(path: String) async throws {
        let scene = try Scene(.resource(resource))
        serve(scene, "# list\n\(try line(resource))0000  other\n", at: path)
        let file = try await scene.download(settings(scene))
        #expect(file.verifiedDigest == resource.digest(.sha256))
        try scene.expectFile(resource)
    }

    @Test(arguments: ["/disk.bin.md5", "/disk.bin.sha512"])
    func `a file that has another checksum is refused`(path: String) async throws {
        let scene = try Scene(.resource(resource))
        let algorithm: DigestAlgorithm = path.hasSuffix("md5") ? .md5 : .sha512
        serve(scene, try line(Resource(size: 5), algorithm), at: path)
        let error = try await scene.failure(settings(scene))
        #expect(error.code == .checksumMismatch)
    }

    @Test func `a page in place of a checksum file is ignored`() async throws {
        let scene = try Scene(.resource(resource))
        serve(scene, "<html><body>Not found</body></html>", at: "/disk.bin.sha256")
        serve(scene, try line(resource, .sha512), at: "/disk.bin.sha512")
        let file = try await scene.download(settings(scene))
        #expect(file.verifiedDigest?.algorithm == .sha512)
    }

    @Test func `a file without a checksum is accepted`() async throws {
        let scene = try Scene(.resource(resource))
        let file = try await scene.download(settings(scene))
        #expect(file.verifiedDigest == nil)
        #expect(scene.asked.count > 5)
    }

    @Test func `the digest that the server sends makes a search unnecessary`() async throws {
        let digest = try #require(resource.digest(.sha256)).bytes.base64
        let scene = try Scene(
            Reply.resource(resource).setting("Repr-Digest", "sha-256=:\(digest):")
        )
        let file = try await scene.download(settings(scene))
        #expect(file.verifiedDigest?.algorithm == .sha256)
        #expect(scene.asked.count == 1)
    }

    @Test func `without being asked, Pawl looks for none`() async throws {
        let scene = try Scene(.resource(resource))
        try await scene.download(scene.settings(1))
        #expect(scene.asked.count == 1)
    }

    @Test func `a search that gets no answer ends with a download that is cancelled`()
        async throws
    {
        let latch = Latch()
        let scene = try Scene(Reply.resource(resource).holdAfterBytes(1000, until: latch))
        scene.origin.route(
            "/disk.bin.sha256",
            Reply.resource(Resource(size: 100)).holdAfterBytes(1, until: Latch())
        )
        let running = try scene.start(settings(scene))
        await latch.waitForArrivals(1)
        await running.waitForBytes(1000)
        running.cancel()
        await #expect(throws: DownloadError.self) { try await running.file() }
        await scene.origin.waitForQuiet()
    }
}
