import PawlCore
import Testing

/// Lists of checksums, as other programs write them.
@Suite(.timeLimit(.minutes(5)))
struct ChecksumListTests {
    private static let sha256 = String(repeating: "ab", count: 32)
    private static let md5 = String(repeating: "0c", count: 16)
    private static let long = String(repeating: "5e", count: 64)

    @Test(arguments: [
        ("\(sha256)  disk.iso", "disk.iso"), ("\(sha256) *disk.iso\r", "disk.iso"),
        ("SHA256 (disk.iso) = \(sha256)", "disk.iso"),
        ("\\\(sha256)  a\\nb\\\\c", "a\nb\\c"), ("\(sha256.uppercased())\tdisk.iso", "disk.iso"),
        ("SHA256 (a (1).iso) = \(sha256)", "a (1).iso"), ("  \(sha256)  a b", "a b"),
    ])
    func `a line names a file`(line: String, name: String) throws {
        let list = ChecksumList(line, name: "SHA256SUMS")
        let digest = try #require(ContentDigest(.sha256, hexadecimal: Self.sha256))
        #expect(list.entries.map(\.name) == [name])
        #expect(list.entries.map(\.digest) == [digest])
        #expect(list.digest(of: name) == digest)
    }

    @Test func `a line that begins like a checksum, but is not valid, is noticed`() {
        let lines = [
            "\u{FEFF}\(Self.sha256)  a", "\(Self.sha256.dropLast(4))  b", "-----BEGIN", "# c",
        ]
        let list = ChecksumList(lines.joined(separator: "\n"), name: "s")
        #expect(list.entries.map(\.name) == ["a"])
        #expect(list.damagedLines == [2])
        #expect(list.ignoredLines == [3])
        #expect(ChecksumList("SHA256 (a) = 12", name: "s").damagedLines == [1])
    }

    @Test func `two checksums of one file contradict each other`() {
        let other = String(Self.sha256.reversed())
        let equal = ChecksumList("\(Self.sha256)  a\n\(Self.sha256)  a\n\(Self.md5)  a", name: "s")
        #expect(equal.contradiction == nil)
        let two = ChecksumList("\(Self.sha256)  a\n\(other)  b\n\(other)  a", name: "s")
        #expect(two.contradiction == "a")
    }

    @Test func `other lines are ignored`() {
        let text = """
            -----BEGIN PGP SIGNED MESSAGE-----
            Hash: SHA512

            # comment
            \(Self.sha256)  a
            \(Self.sha256)x  b
            SHA256 (c) = 12
            -----BEGIN PGP SIGNATURE-----
            """
        #expect(ChecksumList(text, name: "sums").entries.map(\.name) == ["a"])
    }

    @Test(arguments: [
        ("SHA512SUMS", DigestAlgorithm.sha512), ("B2SUMS", .blake2b), ("x.sha3-512", .sha3_512),
        ("sums", .sha512), ("disk.iso.b2", .blake2b),
    ])
    func `the name of the list determines the algorithm`(name: String, algorithm: DigestAlgorithm) {
        let list = ChecksumList("\(Self.long)  a", name: name)
        #expect(list.entries.first?.digest.algorithm == algorithm)
    }

    @Test func `a file is found by its path, then by its name`() {
        let other = String(repeating: "cd", count: 32)
        let list = ChecksumList("\(Self.sha256)  x/a\n\(other)  ./y/a\n\(Self.md5)  b", name: "s")
        #expect(list.digest(of: "x/a")?.hexadecimal == Self.sha256)
        #expect(list.digest(of: "y/a")?.hexadecimal == other)
        #expect(list.digest(of: "/z/b")?.algorithm == .md5)
        #expect(list.digest(of: "c") == nil)
    }

    @Test func `the only checksum of a list without names is that of any file`() {
        let list = ChecksumList(Self.sha256 + "\n", name: "disk.iso.sha256")
        #expect(list.digest(of: "disk.iso")?.hexadecimal == Self.sha256)
    }
}
