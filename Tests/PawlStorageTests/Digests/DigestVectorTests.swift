import PawlCore
import PawlStorage
import PawlTesting
import SystemPackage
import Testing

/// Digests of published test vectors.
@Suite(.timeLimit(.minutes(5)))
struct DigestVectorTests {
    @Test(arguments: [
        (DigestAlgorithm.crc32c, "123456789", "e3069283"),
        (.crc32c, "", "00000000"),
        (.crc32c, String(repeating: "\0", count: 32), "8a9136aa"),
        (
            .sha3_256, "abc",
            "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532"
        ),
        (
            .sha3_512, "abc",
            "b751850b1a57168a5693cd924b6b096e08f621827444f70d884f5d0240d2712e"
                + "10e116e9192af3c91a7ec57647e3934057340b4cf408d5a56592f8274eec53f0"
        ),
        (
            .blake2b, "abc",
            "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
                + "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923"
        ),
    ])
    func `a digest is that of the standard`(
        algorithm: DigestAlgorithm,
        text: String,
        digits: String
    ) throws {
        let folder = try ScratchFolder()
        let path = FilePath(try folder.write("file", text))
        #expect(try FileDigest.compute(algorithm, of: path).hexadecimal == digits)
    }

    @Test(arguments: DigestAlgorithm.allCases)
    func `a file of many pieces has the digest of its bytes`(algorithm: DigestAlgorithm) throws {
        let resource = Resource(size: 600_007)
        let folder = try ScratchFolder()
        let path = FilePath(try folder.write("file", resource.bytes()))
        #expect(try FileDigest.compute(algorithm, of: path) == resource.digest(algorithm))
    }
}
