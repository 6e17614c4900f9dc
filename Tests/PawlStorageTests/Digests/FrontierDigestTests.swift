import PawlCore
import PawlStorage
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct FrontierDigestTests {
    /// FIPS 180-4 and RFC 1321: the digests of `abc`.
    private static let vectors: [(DigestAlgorithm, String)] = [
        (.md5, "900150983cd24fb0d6963f7d28e17f72"),
        (.sha1, "a9993e364706816aba3e25717850c26c9cd0d89d"),
        (.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            .sha384,
            "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed"
                + "8086072ba1e7cc2358baeca134c825a7"
        ),
        (
            .sha512,
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
        ),
    ]

    @Test(arguments: vectors)
    func `digests match the published vectors`(algorithm: DigestAlgorithm, expected: String) throws
    {
        let folder = try StorageFolder()
        let store = try PartialStore.sample(folder.paths(), total: 3)
        try store.write(Array("abc".utf8), at: 0)
        let digest = try FrontierDigest(algorithm, store: store)
        try digest.advance(to: 3)
        #expect(try digest.finalize().hexadecimal == expected)
        let path = try store.finish(total: 3, policy: .fail).path
        #expect(try FileDigest.compute(algorithm, of: path).hexadecimal == expected)
    }

    @Test func `following a frontier in steps equals reading at once`() throws {
        let folder = try StorageFolder()
        let store = try PartialStore.sample(folder.paths(), total: 1_000_000)
        let bytes = pattern(1_000_000)
        let stepwise = try FrontierDigest(.sha256, store: store)
        for end in [1, 1, 0, 4_096, 300_000, 299_999, 999_999, 1_000_000] {
            try store.write(Array(bytes[..<end]), at: 0)
            try stepwise.advance(to: Int64(end))
            #expect(stepwise.position >= Int64(end))
        }
        let atOnce = try FrontierDigest(.sha256, store: store)
        try atOnce.advance(to: 1_000_000)
        #expect(try stepwise.finalize() == atOnce.finalize())
    }

    @Test func `an error between two pieces ends the reading`() throws {
        let folder = try StorageFolder()
        let store = try PartialStore.sample(folder.paths(), total: 3_000_000)
        try store.write(pattern(3_000_000), at: 0)
        let digest = try FrontierDigest(.sha256, store: store)
        var pieces = 0
        let error = failure {
            try digest.advance(to: 3_000_000) { () throws(DownloadError) in
                pieces += 1
                if pieces == 3 { throw DownloadError(.interrupted, "enough") }
            }
        }
        #expect(error?.code == .interrupted)
        #expect(digest.position > 0)
        #expect(digest.position < 3_000_000)
    }

    @Test func `a frontier beyond the end of the file is an error`() throws {
        let folder = try StorageFolder()
        let store = try PartialStore.sample(folder.paths(), total: 10)
        try store.write(pattern(10), at: 0)
        let digest = try FrontierDigest(.md5, store: store)
        #expect(failure { try digest.advance(to: 11) }?.code == .diskFailure)
    }
}
