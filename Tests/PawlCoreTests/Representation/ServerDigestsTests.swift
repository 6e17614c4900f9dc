import PawlCore
import Testing

/// Digests of `hello world\n`.
private let md5 = "b1kCrCNwJL3QwXbLkwY9xA=="
private let sha1 = "IlljY7PeQLBvmB+4XYIxLowO1RE="
private let sha256 = "qUiQTy8PR5uPgZdpSzAYSw0u0cHNKh7A+4XSmaGSpEc="
private let sha512 =
    "2zl0qX8kB7fK4a5jfAAwaHoRkTJ01XhJJVjjnBbAF96E6s3Ixi/jTuThK0sUKIF/Cbaidgw/imZM6ulNJDSlkw=="
private let sha256Hex = "a948904f2f0f479b8f8197694b30184b0d2ed1c1cd2a1ec0fb85d299a192a447"

@Suite(.timeLimit(.minutes(5)))
struct ServerDigestsTests {
    @Test(
        arguments: [
            (["Repr-Digest": "sha-256=:\(sha256):"], [.sha256]),
            (["repr-digest": "sha-256=:\(sha256):, sha-512=:\(sha512):"], [.sha512, .sha256]),
            (["Repr-Digest": "unixsum=30637, SHA-256=:\(sha256):;q=1"], [.sha256]),
            (["Digest": "SHA-256=\(sha256)"], [.sha256]),
            (["Digest": "md5=\(md5), SHA=\(sha1),sha-256=\(sha256)"], [.sha256, .sha1, .md5]),
            (["Content-MD5": md5], [.md5]),
            (["x-goog-hash": "crc32c=n03x6A==, md5=\(md5)"], [.md5, .crc32c]),
            (["x-goog-hash": "crc32c=n03x6A==", "X-Goog-Hash": "md5=\(md5)"], [.md5, .crc32c]),
            (["x-amz-checksum-crc32c": "n03x6A=="], [.crc32c]),
            (["x-amz-checksum-sha256": sha256], [.sha256]),
            (["x-amz-checksum-sha1": sha1, "x-amz-checksum-type": "FULL_OBJECT"], [.sha1]),
            (["Content-MD5": md5, "Repr-Digest": "sha-512=:\(sha512):"], [.sha512, .md5]),
            (["Content-MD5": String(md5.dropLast(2))], [.md5]),
        ] as [(KeyValuePairs<String, String>, [DigestAlgorithm])]
    )
    func `digests are parsed, the strongest first`(
        fields: KeyValuePairs<String, String>,
        expected: [DigestAlgorithm]
    ) {
        let found = ServerDigests.parse(ResponseHead(200, fields))
        #expect(found.map(\.algorithm) == expected)
    }

    @Test(
        arguments: [
            [:],
            ["Repr-Digest": "sha-256=\(sha256)"],
            ["Repr-Digest": "sha-256=:\(sha256)"],
            ["Repr-Digest": "sha-256=:\(md5):"],
            ["Repr-Digest": "sha-256=:not base64:"],
            ["Repr-Digest": "sha-256"],
            ["Digest": "SHA-256=\(sha256Hex)"],
            ["Digest": "crc32c=abcd, ===, ,=x"],
            ["Content-MD5": ""],
            ["Content-MD5": "="],
            ["Content-MD5": "b1kCrCNwJL3QwXbLkwY9xA==="],
            ["x-amz-checksum-sha256": "\(sha256)-3"],
            ["x-amz-checksum-sha256": sha256, "x-amz-checksum-type": "COMPOSITE"],
            ["x-goog-hash": "md5=\(md5)", "x-goog-stored-content-encoding": "gzip"],
        ] as [KeyValuePairs<String, String>]
    )
    func `anything but a digest of the whole file is ignored`(fields: KeyValuePairs<String, String>)
    {
        #expect(ServerDigests.parse(ResponseHead(200, fields)) == [])
    }

    @Test func `the bytes are those of the digest`() throws {
        let head = ResponseHead(200, ["Repr-Digest": "sha-256=:\(sha256):"])
        #expect(ServerDigests.parse(head).first?.hexadecimal == sha256Hex)
    }

    @Test func `the representation's own digest takes precedence`() {
        let other = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
        let head = ResponseHead(
            200,
            ["Digest": "sha-256=\(other)", "Repr-Digest": "sha-256=:\(sha256):"]
        )
        #expect(ServerDigests.parse(head).map(\.hexadecimal) == [sha256Hex])
    }

    @Test func `for a part only digests of the whole file are used`() {
        let fields: KeyValuePairs = [
            "Content-MD5": md5, "x-goog-hash": "md5=\(md5)", "x-amz-checksum-sha1": sha1,
            "Repr-Digest": "sha-256=:\(sha256):",
        ]
        #expect(ServerDigests.parse(ResponseHead(206, fields)).map(\.algorithm) == [.sha256])
        let digest = ResponseHead(206, ["Digest": "SHA-256=\(sha256)"])
        #expect(ServerDigests.parse(digest).map(\.algorithm) == [.sha256])
    }

    @Test func `Google's hash of gzip sent as gzip counts`() {
        let head = ResponseHead(
            200,
            [
                "x-goog-hash": "md5=\(md5)", "x-goog-stored-content-encoding": "gzip",
                "Content-Encoding": "gzip",
            ]
        )
        #expect(ServerDigests.parse(head).map(\.algorithm) == [.md5])
    }
}
