import PawlCore
import Testing

/// Which representations replace the one whose digest is known, and which are refused.
@Suite(.timeLimit(.minutes(5)))
struct DigestDemandTests {
    private func digest(_ byte: UInt8, _ algorithm: DigestAlgorithm = .sha256) -> ContentDigest? {
        ContentDigest(algorithm, bytes: [UInt8](repeating: byte, count: algorithm.byteCount))
    }

    private func file(
        _ tag: String = "a",
        total: Int64 = 100,
        _ digest: ContentDigest? = nil
    ) -> Representation {
        var file = Representation(total: total)
        file.entityTag = EntityTag(isWeak: false, opaque: "\"\(tag)\"")
        file.digest = digest
        return file
    }

    private func demand(from source: Int?) throws -> DigestDemand {
        let named = try #require(digest(1))
        return DigestDemand(named, of: file("a", named), from: source)
    }

    @Test func `a changed file, or another digest, of the same source replaces it`() throws {
        let demand = try demand(from: 1)
        #expect(!demand.isReplaced(by: file(), from: 1))
        #expect(demand.isReplaced(by: file("b"), from: 1))
        #expect(demand.isReplaced(by: file(total: 99), from: 1))
        #expect(demand.isReplaced(by: file("a", digest(2)), from: 1))
    }

    @Test func `an encoded response of the same source replaces it`() throws {
        var coded = file()
        coded.contentEncoding = "gzip"
        #expect(try demand(from: 0).isReplaced(by: coded, from: 0))
        #expect(try !demand(from: 0).isReplaced(by: coded, from: 1))
    }

    @Test func `another source does not replace it`() throws {
        let demand = try demand(from: 0)
        #expect(!demand.isReplaced(by: file("b", total: 99, digest(2)), from: 1))
        #expect(!demand.isReplaced(by: file("b"), from: nil))
    }

    @Test func `the requested URL replaces it with a digest of its own`() throws {
        let demand = try demand(from: 1)
        #expect(demand.isReplaced(by: file("b", digest(2)), from: 0))
        #expect(!demand.isReplaced(by: file("b"), from: 0))
    }

    @Test func `the digest of a source that is not used any more is replaced`() throws {
        #expect(try demand(from: nil).isReplaced(by: file("b"), from: 0))
    }

    @Test func `another size and another digest are refused`() throws {
        let demand = try demand(from: 0)
        let size = demand.refusal(of: file("b", total: 6), from: 1, host: "other.example")
        #expect(size?.code == .notTheFile)
        #expect(size?.message == "the file of other.example has 6 bytes instead of 100")
        #expect(size?.retryClass == .elsewhere)
        let other = demand.refusal(of: file("b", digest(2)), from: 1, host: "other.example")
        #expect(other?.code == .checksumMismatch)
    }

    @Test func `a response that may be the file is not refused`() throws {
        let demand = try demand(from: 0)
        let seen = [file("b"), file("b", digest(1)), file("b", digest(2, .md5))]
        for file in seen { #expect(demand.refusal(of: file, from: 1, host: "h") == nil) }
        // The source that has named the digest may have another file now.
        #expect(demand.refusal(of: file("b", total: 6), from: 0, host: "h") == nil)
    }
}
