import PawlCore
import Testing

/// Digests of pieces, as values and as text.
@Suite(.timeLimit(.minutes(5)))
struct PieceDigestsTests {
    private func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8($0 % 251) } }

    @Test func `the ranges of the pieces cover the file`() throws {
        let pieces = try #require(PieceDigests(.sha1, length: 1024, bytes: bytes(60)))
        #expect(pieces.count == 3)
        #expect(
            pieces.ranges(of: 2050) == [
                ByteRange(0, 1024), ByteRange(1024, 2048), ByteRange(2048, 2050),
            ]
        )
        #expect(pieces.digest(of: 1)?.bytes == Array(bytes(60)[20..<40]))
        #expect(pieces.digest(of: 3) == nil && pieces.digest(of: -1) == nil)
    }

    @Test(arguments: [0, -1, 2048, 3073, .max, .min])
    func `a file of another size has no such pieces`(total: Int64) throws {
        let pieces = try #require(PieceDigests(.sha1, length: 1024, bytes: bytes(60)))
        #expect(!pieces.covers(total))
        #expect(pieces.ranges(of: total).isEmpty)
    }

    @Test func `a length near the largest number covers any file with one piece`() throws {
        let pieces = try #require(PieceDigests(.md5, length: .max, bytes: bytes(16)))
        #expect(pieces.ranges(of: .max) == [ByteRange(0, .max)])
    }

    @Test func `the text is read as the same value`() throws {
        let pieces = try #require(PieceDigests(.sha3_256, length: 4096, bytes: bytes(96)))
        #expect(PieceDigests(parsing: pieces.description) == pieces)
        #expect(PieceDigests(parsing: "SHA-256:4096:" + bytes(32).base64)?.algorithm == .sha256)
    }

    @Test(arguments: [
        "", "sha1", "sha1:1024", "sha1:1024:", "sha1:1024:AAAA",
        "sha1:1023:AAAAAAAAAAAAAAAAAAAAAAAAAAA=",
        "sha1:-5:AAAAAAAAAAAAAAAAAAAAAAAAAAA=", "sha9:1024:AAAAAAAAAAAAAAAAAAAAAAAAAAA=",
        "sha1:99999999999999999999:AAAAAAAAAAAAAAAAAAAAAAAAAAA=", "sha1:1024:é",
    ])
    func `other texts are refused`(text: String) { #expect(PieceDigests(parsing: text) == nil) }
}
