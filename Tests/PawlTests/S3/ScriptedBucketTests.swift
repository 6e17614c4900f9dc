import Pawl
import PawlCore
import PawlTesting
import Testing

/// The scripted bucket where it is stricter than moto.
@Suite(.timeLimit(.minutes(5)))
struct ScriptedBucketTests {
    let bucket: ScriptedBucket
    let client: BucketClient

    init() throws {
        bucket = try ScriptedBucket()
        client = BucketClient(bucket)
    }

    // MARK: - Signatures

    private func refusal(
        _ client: BucketClient,
        _ fields: [String: String] = [:],
        _ change: (inout BucketClient.Draft) -> Void = { _ in }
    ) throws -> String? {
        let answer = try client.ask("PUT", "k", fields: fields, body: [1], change: change)
        #expect(answer.status >= 400)
        #expect(bucket.object("k") == nil)
        return answer.element("Code")
    }

    @Test func `a request that was changed after it was signed is refused`() throws {
        let signed = ["x-amz-meta-epoch": "7", "If-None-Match": "*"]
        let changes: [(inout BucketClient.Draft) -> Void] = [
            { $0.target = "/photos/other" }, { $0.target += "?versionId=1" },
            { $0.method = "DELETE" },
            { draft in
                for index in draft.fields.indices where draft.fields[index].value == "7" {
                    draft.fields[index].value = "8"
                }
            },
            { draft in
                for index in draft.fields.indices where draft.fields[index].value == "*" {
                    draft.fields[index].value = "\"x\""
                }
            },
            { $0.fields[0].value = "localhost:1" },
        ]
        for change in changes {
            #expect(try refusal(client, signed, change) == "SignatureDoesNotMatch")
        }
        // What is not signed may change.
        let answer = try client.ask("PUT", "k", fields: signed, body: [1]) {
            $0.fields.append(HTTPField(name: "User-Agent", value: "x"))
        }
        #expect(answer.status == 200)
        #expect(bucket.requests.last?.hadEffect == true)
        #expect(bucket.requests.dropLast().allSatisfy { !$0.hadEffect })
    }

    @Test func `only the owner of the credentials is served, at the right time and place`() throws {
        var other = client
        other.credentials.secret = "other"
        #expect(try refusal(other) == "SignatureDoesNotMatch")
        other = client
        other.credentials.keyID = "OTHER"
        #expect(try refusal(other) == "InvalidAccessKeyId")
        other = client
        other.credentials.sessionToken = "token"
        #expect(try refusal(other) == "InvalidToken")
        other = client
        other.region = "eu-west-1"
        #expect(try refusal(other) == "AuthorizationHeaderMalformed")
        for offset in [-1000, 1000] as [Int64] {
            other = client
            other.clockOffset = offset
            #expect(try refusal(other) == "RequestTimeTooSkewed")
        }
        #expect(
            try refusal(client, [:]) { draft in
                draft.fields.removeAll { $0.name == "Authorization" }
            } == "AccessDenied"
        )
        #expect(
            try refusal(client, [:]) { draft in
                draft.fields.append(HTTPField(name: "x-amz-meta-epoch", value: "8"))
            } == "AccessDenied"
        )
        bucket.setClock(offset: 1000)
        other = client
        other.clockOffset = 1000
        #expect(try other.put("k", "x").status == 200)
    }

    @Test func `a bucket can be named in the host`() throws {
        var other = client
        other.host = "photos.s3.test:\(bucket.port)"
        #expect(try other.put("a/b", "hello").status == 200)
        #expect(bucket.object("a/b")?.bytes == Array("hello".utf8))
        #expect(try client.get("a/b").text == "hello")
    }

    // MARK: - Checksums

    @Test(arguments: [
        ("x-amz-checksum-crc32c", "4waSgw=="), ("x-amz-checksum-crc32", "y/Q5Jg=="),
        ("x-amz-checksum-sha1", "98O8HYCOBHMq32eZZczDTKeuNEE="),
        ("Content-MD5", "JfnnlDI7RTiF9RgfG2JNCw=="),
    ])
    func `a checksum in a field is compared`(field: String, value: String) throws {
        let right = try client.put("k", "123456789", [field: value])
        #expect(right.status == 200, "\(right.text)")
        if field != "Content-MD5" { #expect(right[field] == value) }
        let wrong = try client.put("k", "123456780", [field: value])
        #expect(wrong.status == 400)
        #expect(wrong.element("Code") == "BadDigest")
        let malformed = try client.put("k", "123456789", [field: "AAAA"])
        let code = field == "Content-MD5" ? "InvalidDigest" : "InvalidRequest"
        #expect(malformed.element("Code") == code)
        #expect(bucket.object("k")?.bytes == Array("123456789".utf8))
        if field != "Content-MD5" {
            let head = try client.ask("HEAD", "k", fields: ["x-amz-checksum-mode": "ENABLED"])
            #expect(head[field] == value)
        }
    }

    @Test func `the digest in the signature is compared`() throws {
        let body = Array("hello".utf8)
        let digest = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
        #expect(try client.ask("PUT", "k", body: body, payload: digest).status == 200)
        let wrong = try client.ask("PUT", "k", body: Array("hellO".utf8), payload: digest)
        #expect(wrong.element("Code") == "XAmzContentSHA256Mismatch")
    }

    private static let trailer = "x-amz-checksum-crc32c:4waSgw==\r\n"

    private func putWithTrailer(
        _ body: String,
        size: Int = 9,
        announced: String = "x-amz-checksum-crc32c",
        isChunked: Bool = false
    ) throws -> RawAnswer {
        let fields = [
            "Content-Encoding": "aws-chunked", "x-amz-decoded-content-length": "\(size)",
            "x-amz-trailer": announced,
        ]
        return try client.ask(
            "PUT",
            "k",
            fields: fields,
            body: Array(body.utf8),
            payload: "STREAMING-UNSIGNED-PAYLOAD-TRAILER"
        ) { draft in
            guard isChunked, let body = draft.body else { return }
            draft.fields.append(HTTPField(name: "Transfer-Encoding", value: "chunked"))
            let size = String(body.count, radix: 16)
            draft.body = Array("\(size)\r\n".utf8) + body + Array("\r\n0\r\n\r\n".utf8)
        }
    }

    @Test(arguments: [false, true])
    func `a checksum in a trailer is compared`(isChunked: Bool) throws {
        let right = try putWithTrailer(
            "9\r\n123456789\r\n0\r\n\(Self.trailer)\r\n",
            isChunked: isChunked
        )
        #expect(right.status == 200, "\(right.text)")
        #expect(right["x-amz-checksum-crc32c"] == "4waSgw==")
        #expect(bucket.object("k")?.bytes == Array("123456789".utf8))
        #expect(bucket.requests.last?.payloadBytes == 9)
        let wrong = try putWithTrailer(
            "9\r\n123456780\r\n0\r\n\(Self.trailer)\r\n",
            isChunked: isChunked
        )
        #expect(wrong.element("Code") == "BadDigest")
    }

    @Test func `a malformed trailer or framing is refused`() throws {
        let chunk = "9\r\n123456789\r\n"
        let bodies: [(body: String, code: String)] = [
            ("\(chunk)0\r\n\r\n", "MalformedTrailerError"),
            ("\(chunk)0\r\n\(Self.trailer)", "MalformedTrailerError"),
            ("\(chunk)0\r\n\(Self.trailer)\r\nmore", "MalformedTrailerError"),
            ("\(chunk)0\r\nx-amz-checksum-crc32:AAAA\r\n\r\n", "MalformedTrailerError"),
            (chunk, "IncompleteBody"), ("123456789", "IncompleteBody"),
            ("9\r\n12345678\r\n0\r\n\(Self.trailer)\r\n", "IncompleteBody"),
            ("4\r\n1234\r\n5\r\n56789\r\n0\r\n\(Self.trailer)\r\n", "InvalidChunkSizeError"),
        ]
        for (body, code) in bodies {
            #expect(try putWithTrailer(body).element("Code") == code, "\(body)")
        }
        let right = "\(chunk)0\r\n\(Self.trailer)\r\n"
        #expect(try putWithTrailer(right, size: 8).element("Code") == "IncompleteBody")
        #expect(
            try putWithTrailer(right, announced: "x-amz-checksum-sha256").element("Code")
                == "MalformedTrailerError"
        )
        bucket.setTraits { $0.acceptsTrailers = false }
        #expect(try putWithTrailer(right).status == 501)
        #expect(bucket.object("k") == nil)
    }

    // MARK: - Uploads

    @Test func `an upload with a checksum demands it of each part and in the list`() throws {
        bucket.setTraits { $0.minimumPartBytes = 1 }
        let kind = ["x-amz-checksum-algorithm": "CRC32C"]
        let upload = try client.createUpload("m", kind)
        let bytes = Array("123456789".utf8)
        let bare = try client.putPart(1, of: "m", upload, bytes)
        #expect(bare.element("Code") == "InvalidRequest")
        let sum = ["x-amz-checksum-crc32c": "4waSgw=="]
        let part = try client.putPart(1, of: "m", upload, bytes, sum)
        #expect(part["x-amz-checksum-crc32c"] == "4waSgw==")
        _ = try client.putPart(3, of: "m", upload, bytes, sum)
        let listed = try client.ask("GET", "m", [("uploadId", upload)])
        #expect(listed.elements("ChecksumCRC32C") == ["4waSgw==", "4waSgw=="])
        let right = "<ChecksumCRC32C>4waSgw==</ChecksumCRC32C>"
        let wrong = "<ChecksumCRC32C>AAAAAA==</ChecksumCRC32C>"
        let tag = part["ETag"]
        let missing = try client.complete("m", upload, [(1, tag, right), (3, tag, "")])
        #expect(missing.element("Code") == "InvalidRequest")
        let other = try client.complete("m", upload, [(1, tag, wrong), (3, tag, right)])
        #expect(other.element("Code") == "InvalidPart")
        let done = try client.complete("m", upload, [(1, tag, right), (3, tag, right)])
        #expect(done.status == 200, "\(done.text)")
        // The checksum of the checksums.
        let sums: [UInt8] = [0xE3, 0x06, 0x92, 0x83, 0xE3, 0x06, 0x92, 0x83]
        let text = Base64.text(CyclicCode.castagnoli.checksum(of: sums)) + "-2"
        #expect(done.element("ChecksumCRC32C") == text)
        #expect(done.element("ChecksumType") == "COMPOSITE")

        let whole = try client.createUpload(
            "w",
            kind.merging(["x-amz-checksum-type": "FULL_OBJECT"]) { $1 }
        )
        _ = try client.putPart(1, of: "w", whole, bytes, sum)
        #expect(
            try client.complete("w", whole, [(1, tag, "")]).element("ChecksumCRC32C") == "4waSgw=="
        )
    }

    @Test func `parts are listed once and in order`() throws {
        bucket.setTraits { $0.minimumPartBytes = 1 }
        let upload = try client.createUpload("m")
        let tag = try client.putPart(1, of: "m", upload, [1])["ETag"]
        _ = try client.putPart(2, of: "m", upload, [1])
        for numbers in [[2, 1], [1, 1]] {
            let answer = try client.complete("m", upload, numbers.map { ($0, tag, "") })
            #expect(answer.element("Code") == "InvalidPartOrder")
        }
        let size = try client.complete(
            "m",
            upload,
            [(1, tag, ""), (2, tag, "")],
            ["x-amz-mp-object-size": "3"]
        )
        #expect(size.element("Code") == "InvalidRequest")
        #expect(bucket.uploads.map(\.id) == [upload])
        #expect(bucket.object("m") == nil)
        let list: [BucketClient.CompletedPart] = [(1, tag, ""), (2, tag, "")]
        let done = try client.complete("m", upload, list, ["x-amz-mp-object-size": "2"])
        #expect(done.status == 200)
        #expect(bucket.object("m")?.parts.map(\.number) == [1, 2])
        #expect(bucket.object("m")?.uploadID == upload)
        #expect(try client.complete("m", upload, Array(list.dropLast())).status == 404)
        // A completed upload changes nothing again.
        bucket.remove("m")
        #expect(try client.complete("m", upload, list).status == 200)
        #expect(bucket.object("m") == nil)
        bucket.setTraits { $0.repeatedCompletion = .noSuchUpload }
        #expect(try client.complete("m", upload, list).status == 404)
    }

    @Test func `a part that is uploaded again replaces the first`() throws {
        let upload = try client.createUpload("m")
        let old = try client.putPart(1, of: "m", upload, [1])["ETag"]
        let new = try client.putPart(1, of: "m", upload, [2])["ETag"]
        #expect(try client.complete("m", upload, [(1, old, "")]).element("Code") == "InvalidPart")
        #expect(try client.complete("m", upload, [(1, new, "")]).status == 200)
        #expect(bucket.object("m")?.bytes == [2])
    }

    @Test func `some services demand parts of one size`() throws {
        bucket.setTraits { traits in
            traits.minimumPartBytes = 1
            traits.demandsEqualParts = true
        }
        let upload = try client.createUpload("m")
        var tags: [String?] = []
        for (number, size) in [(1, 2), (2, 3), (3, 2), (4, 1)] {
            let bytes = [UInt8](repeating: 1, count: size)
            tags.append(try client.putPart(number, of: "m", upload, bytes)["ETag"])
        }
        func status(_ numbers: [Int]) throws -> Int {
            try client.complete("m", upload, numbers.map { ($0, tags[$0 - 1], "") }).status
        }
        #expect(try status([1, 2, 4]) == 400)
        #expect(try status([1, 2]) == 400)
        #expect(try status([1, 3, 4]) == 200)
    }

    @Test func `some services know no conditions and no checksums`() throws {
        bucket.store([1], as: "k")
        bucket.setTraits { traits in
            traits.conditions = .refused
            traits.checksums = .refused
        }
        #expect(try client.put("k", "x", ["If-None-Match": "*"]).status == 501)
        #expect(try client.put("k", "x", ["x-amz-checksum-crc32c": "AAAAAA=="]).status == 501)
        #expect(bucket.object("k")?.bytes == [1])
        bucket.setTraits { traits in
            traits.conditions = .ignored
            traits.checksums = .ignored
        }
        let fields = ["If-None-Match": "*", "x-amz-checksum-crc32c": "AAAAAA=="]
        #expect(try client.put("k", "x", fields).status == 200)
        #expect(bucket.object("k")?.bytes == Array("x".utf8))
    }

    @Test func `long lists of parts and uploads have pages`() throws {
        let uploads = try (1...3).map { _ in try client.createUpload("m") }
        for number in [4, 2, 9] { _ = try client.putPart(number, of: "m", uploads[0], [1]) }
        let first = try client.ask("GET", "m", [("uploadId", uploads[0]), ("max-parts", "2")])
        #expect(first.elements("PartNumber") == ["2", "4"])
        #expect(first.element("IsTruncated") == "true")
        let marker = try #require(first.element("NextPartNumberMarker"))
        let second = try client.ask(
            "GET",
            "m",
            [("uploadId", uploads[0]), ("part-number-marker", marker)]
        )
        #expect(second.elements("PartNumber") == ["9"])
        #expect(second.element("IsTruncated") == "false")
        let page = try client.ask("GET", "", [("uploads", ""), ("max-uploads", "2")])
        #expect(page.elements("UploadId") == Array(uploads[..<2]))
        let rest = try client.ask(
            "GET",
            "",
            [
                ("uploads", ""), ("key-marker", page.element("NextKeyMarker") ?? ""),
                ("upload-id-marker", page.element("NextUploadIdMarker") ?? ""),
            ]
        )
        #expect(rest.elements("UploadId") == [uploads[2]])
    }
}
