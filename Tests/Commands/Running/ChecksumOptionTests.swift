import PawlCore
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)), .serialized)
struct ChecksumOptionTests {
    private let resource = Resource(size: 300_000)

    private var wrongDigest: HTTPField {
        HTTPField(
            name: "Repr-Digest",
            value: "sha-256=:" + Base64.text([UInt8](repeating: 7, count: 32)) + ":"
        )
    }

    @Test(arguments: DigestAlgorithm.allCases)
    func `the right checksum is verified`(algorithm: DigestAlgorithm) async throws {
        let workshop = try Workshop(resource)
        let digest = try #require(resource.digest(algorithm))
        let run = try await workshop.run(workshop.url, "--checksum", digest.description)
        try expectOnly(Workshop.name, resource, in: workshop, run)
        #expect(run.errors.contains("verified \(algorithm.rawValue)"))
    }

    @Test func `the size and the digests of the pieces can be given`() async throws {
        let workshop = try Workshop(resource)
        let pieces = try #require(resource.pieceDigests(length: 65_536)).description
        let size = "\(resource.size)"
        let run = try await workshop.run(workshop.url, "--size", size, "--pieces", pieces)
        try expectOnly(Workshop.name, resource, in: workshop, run)
        let short = try await workshop.run(workshop.url, "--size", "299999", "-o", "short")
        #expect(short.status != .code(0))
        let others = Resource(size: resource.size, seed: 7)
        let wrong = try #require(others.pieceDigests(length: 65_536)).description
        let different = try await workshop.run(workshop.url, "--pieces", wrong, "-o", "other")
        expectFailure(.checksumMismatch, different)
        #expect(workshop.folder.list() == [Workshop.name, "other.corrupt"])
    }

    @Test func `with a wrong checksum the file is kept without its final name`() async throws {
        let workshop = try Workshop(resource)
        let wrong = "sha1=" + String(repeating: "0", count: 40)
        let run = try await workshop.run(workshop.url, "--checksum", wrong)
        expectFailure(.checksumMismatch, run)
        #expect(workshop.folder.list() == ["disk.iso.corrupt"])
        #expect(run.errors.contains("disk.iso.corrupt"))
        try expectExact("disk.iso.corrupt", resource, in: workshop)
    }

    @Test func `the server's checksum is verified by default`() async throws {
        var resource = resource
        let digest = try #require(resource.digest(.sha512))
        resource.fields = [
            HTTPField(
                name: "Repr-Digest",
                value: "sha-512=:" + Base64.text(digest.bytes) + ":"
            )
        ]
        let workshop = try Workshop(resource)
        let run = try await workshop.run(workshop.url)
        try expectOnly(Workshop.name, resource, in: workshop, run)
        #expect(run.errors.contains("verified sha512"))
    }

    @Test func `a wrong checksum of the server is a failure`() async throws {
        var resource = resource
        resource.fields = [wrongDigest]
        let workshop = try Workshop(resource)
        expectFailure(.checksumMismatch, try await workshop.run(workshop.url))
        #expect(workshop.folder.list() == ["disk.iso.corrupt"])
    }

    @Test func `none ignores the server's checksum`() async throws {
        var resource = resource
        resource.fields = [wrongDigest]
        let workshop = try Workshop(resource)
        let run = try await workshop.run(workshop.url, "--checksum", "none")
        try expectOnly(Workshop.name, resource, in: workshop, run)
        #expect(!run.errors.contains("verified"))
    }
}
