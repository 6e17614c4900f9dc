import Pawl
import PawlCore
import Testing
import struct FoundationEssentials.URL

/// The requests of an upload in parts, and what their responses mean.
@Suite(.timeLimit(.minutes(5)))
struct MultipartUploadTests {
    @Test(arguments: [
        "s3://photos/a%20b/c.iso", "s3://photos/%5B%5D%3F%23%25", "s3://photos/a//b",
        "s3://photos/%2Fa%00%FF",
    ])
    func `no abortion deletes the object, whatever its name is`(address: String) throws {
        let target = try MultipartScene(address).target
        let abortion = MultipartUpload("id#?&=", of: target).abortion()
        #expect(abortion.method == "DELETE")
        #expect(abortion.url.absoluteString.hasSuffix("?uploadId=id%23%3F%26%3D"))
    }

    private let scene: MultipartScene
    private let upload: MultipartUpload
    private let parts = [
        UploadedPart(number: 1, bytes: 1, tag: "\"a<b\"", checksum: ObjectChecksum(of: [1])),
        UploadedPart(number: 3, bytes: 2, tag: "\"c\"", checksum: ObjectChecksum(of: [2, 3])),
    ]

    init() throws {
        scene = try MultipartScene()
        upload = MultipartUpload("id/+=", of: scene.target)
    }

    @Test(arguments: ["s3://photos/", "s3://photos/a?versionId=1", "https://photos/a"])
    func `a target is an object`(address: String) throws {
        #expect(ObjectTarget(try MultipartScene.template(address)) == nil)
    }

    @Test func `an upload begins with what is stored with the object`() throws {
        let facts = ObjectFacts(contentType: "text/plain", metadata: ["pawl": "q-1"])
        let request = MultipartUpload.beginning(of: scene.target, facts)
        #expect(request.method == "POST")
        #expect(request.url.absoluteString == "s3://photos/a%20b/c.iso?uploads=")
        #expect(request.fields.value("Content-Type") == "text/plain")
        #expect(request.fields.value("x-amz-meta-pawl") == "q-1")
        #expect(request.fields.value("x-amz-checksum-algorithm") == "CRC32C")
        #expect(request.credentials?.name == "AKID")
        let begun = try MultipartUpload(
            begunBy: try MultipartScene.reply(
                200,
                [:],
                """
                <?xml version="1.0"?><InitiateMultipartUploadResult><Bucket>photos</Bucket>\
                <Key>a b/c.iso</Key><UploadId>id/+=</UploadId></InitiateMultipartUploadResult>
                """
            ),
            of: scene.target
        )
        #expect(begun.id == "id/+=")
    }

    @Test func `a part is sent with its number and the upload`() throws {
        let part = upload.part(7, .memory([1, 2]))
        #expect(part.request.method == "PUT")
        #expect(
            part.request.url.absoluteString
                == "s3://photos/a%20b/c.iso?partNumber=7&uploadId=id%2F%2B%3D"
        )
        let reply = try MultipartScene.reply(200, ["ETag": "\"t\""])
        let stored = try upload.uploadedPart(7, part, reply)
        #expect(
            stored
                == UploadedPart(
                    number: 7,
                    bytes: 2,
                    tag: "\"t\"",
                    checksum: ObjectChecksum(of: [1, 2])
                )
        )
    }

    @Test func `a part of which the service has other bytes is not stored`() throws {
        let part = upload.part(7, .memory([1, 2]))
        let right = try MultipartScene.reply(
            200,
            ["ETag": "\"t\"", "x-amz-checksum-crc32c": ObjectChecksum(of: [1, 2]).bytes.base64]
        )
        #expect(failure { _ = try upload.uploadedPart(7, part, right) } == nil)
        let wrong = try MultipartScene.reply(
            200,
            ["ETag": "\"t\"", "x-amz-checksum-crc32c": ObjectChecksum(of: [1, 3]).bytes.base64]
        )
        #expect(failure { _ = try upload.uploadedPart(7, part, wrong) } == .altered)
        let none = try MultipartScene.reply(200)
        #expect(failure { _ = try upload.uploadedPart(7, part, none) }?.isUnclear == true)
    }

    @Test func `parts are listed page by page`() throws {
        let request = upload.parts(after: 3)
        #expect(request.method == "GET")
        #expect(
            request.url.absoluteString
                == "s3://photos/a%20b/c.iso?part-number-marker=3&uploadId=id%2F%2B%3D"
        )
        func page(_ isTruncated: Bool, _ next: String) throws -> ServiceReply {
            try MultipartScene.reply(
                200,
                [:],
                """
                <ListPartsResult><UploadId>id</UploadId><NextPartNumberMarker>\(next)\
                </NextPartNumberMarker><IsTruncated>\(isTruncated)</IsTruncated>\
                <Part><PartNumber>4</PartNumber><ETag>"x"</ETag><Size>5</Size>\
                <ChecksumCRC32C>4waSgw==</ChecksumCRC32C></Part>\
                <Part><PartNumber>9</PartNumber><ETag>y</ETag><Size>6</Size></Part>\
                </ListPartsResult>
                """
            )
        }
        let (listed, next) = try upload.listedParts(try page(true, "9"))
        #expect(next == 9)
        #expect(listed.map(\.number) == [4, 9])
        #expect(listed.map(\.bytes) == [5, 6])
        #expect(listed.map(\.checksum) == [ObjectChecksum("4waSgw=="), nil])
        #expect(try upload.listedParts(try page(false, "9")).next == nil)
        let other = try MultipartScene.reply(200, [:], "<ListPartsResponse></ListPartsResponse>")
        #expect(try upload.listedParts(other).parts.isEmpty)
        // They would never end.
        #expect(failure { _ = try upload.listedParts(try page(true, "4")) }?.isUnclear == true)
        let again = failure { _ = try upload.listedParts(try page(true, "9"), after: 9) }
        #expect(again?.isUnclear == true)
    }

    @Test func `a listed part is compared with the recorded one`() {
        let recorded = parts[1]
        let sum = recorded.checksum
        #expect(ListedPart(number: 3, bytes: 2, tag: "c", checksum: nil).matches(recorded))
        #expect(ListedPart(number: 3, bytes: 2, tag: "\"c\"", checksum: sum).matches(recorded))
        #expect(!ListedPart(number: 4, bytes: 2, tag: "c", checksum: nil).matches(recorded))
        #expect(!ListedPart(number: 3, bytes: 3, tag: "c", checksum: nil).matches(recorded))
        #expect(!ListedPart(number: 3, bytes: 2, tag: "d", checksum: sum).matches(recorded))
        let other = ObjectChecksum(of: [9])
        #expect(!ListedPart(number: 3, bytes: 2, tag: "c", checksum: other).matches(recorded))
    }

    @Test(
        arguments: [
            (nil, nil, nil), (.absent, "*", nil), (.unchanged(tag: "\"t\""), nil, "\"t\""),
        ] as [(WriteCondition?, String?, String?)]
    )
    func `an upload is completed with its parts, under a condition`(
        condition: WriteCondition?,
        noneMatch: String?,
        match: String?
    ) throws {
        let request = upload.completion(of: parts, if: condition)
        #expect(request.method == "POST")
        #expect(request.url.absoluteString == "s3://photos/a%20b/c.iso?uploadId=id%2F%2B%3D")
        #expect(request.fields.value("If-None-Match") == noneMatch)
        #expect(request.fields.value("If-Match") == match)
        #expect(
            String(decoding: request.body, as: UTF8.self)
                == """
                <CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">\
                <Part><PartNumber>1</PartNumber><ETag>"a&lt;b"</ETag>\
                <ChecksumCRC32C>\(parts[0].checksum.bytes.base64)</ChecksumCRC32C></Part>\
                <Part><PartNumber>3</PartNumber><ETag>"c"</ETag>\
                <ChecksumCRC32C>\(parts[1].checksum.bytes.base64)</ChecksumCRC32C></Part>\
                </CompleteMultipartUpload>
                """
        )
    }

    private func completed(_ checksum: String, prefix: String = "") throws -> ServiceReply {
        try MultipartScene.reply(
            200,
            [:],
            """
            \(prefix)<?xml version="1.0"?><CompleteMultipartUploadResult><ETag>"w-2"</ETag>\
            \(checksum)</CompleteMultipartUploadResult>
            """
        )
    }

    @Test func `a completed upload has a tag, and the checksum of its parts`() throws {
        let whole = ObjectChecksum(ofPartsWith: parts.map(\.checksum)).bytes.base64
        for text in ["", "\(whole)-2", whole] {
            let element = text.isEmpty ? "" : "<ChecksumCRC32C>\(text)</ChecksumCRC32C>"
            let reply = try completed(element, prefix: " \n  ")
            #expect(try upload.completedTag(of: parts, reply) == "\"w-2\"")
        }
        let other = try completed("<ChecksumCRC32C>4waSgw==-2</ChecksumCRC32C>")
        #expect(failure { _ = try upload.completedTag(of: parts, other) } == .altered)
    }

    @Test func `an upload that is gone counts as aborted`() throws {
        let request = upload.abortion()
        #expect(request.method == "DELETE")
        #expect(request.url.absoluteString == "s3://photos/a%20b/c.iso?uploadId=id%2F%2B%3D")
        #expect(failure { try upload.checkAborted(try MultipartScene.reply(204)) } == nil)
        let gone = try MultipartScene.error("NoSuchUpload", status: 404)
        #expect(failure { try upload.checkAborted(gone) } == nil)
        let denied = try MultipartScene.error("AccessDenied", status: 403)
        #expect(failure { try upload.checkAborted(denied) }?.refusal?.status == 403)
        let bucket = try MultipartScene.error("NoSuchBucket", status: 404)
        #expect(failure { try upload.checkAborted(bucket) }?.refusal?.code == "NoSuchBucket")
    }
}

// Errors.
extension MultipartUploadTests {
    private func completionFailure(_ reply: ServiceReply) -> ObjectFailure? {
        failure { _ = try upload.completedTag(of: parts, reply) }
    }

    @Test(arguments: ["", "   \n"])
    func `a status of 200 may be followed by an error`(prefix: String) throws {
        let reply = try MultipartScene.error("InternalError", status: 200, prefix: prefix)
        let refusal = try #require(completionFailure(reply)?.refusal)
        #expect(refusal.code == "InternalError")
        #expect(refusal.status == 500)
        #expect(refusal.isTemporary)
        let other = try MultipartScene.error("InvalidPart", status: 200, prefix: prefix)
        #expect(completionFailure(other)?.refusal?.code == "InvalidPart")
    }

    @Test func `a response that is cut off or missing leaves the outcome open`() throws {
        for body in [
            "", "<?xml version=\"1.0\"?>", "<CompleteMultipartUploadResult><ETag>\"w\"</ETag>",
            "<html>ok</html>", "<CompleteMultipartUploadResult></CompleteMultipartUploadResult>",
        ] {
            let reply = try MultipartScene.reply(200, [:], body)
            #expect(completionFailure(reply)?.isUnclear == true, "\(body)")
        }
        let lost = TransferFailure(.connectionLost, "")
        #expect(
            completionFailure(ServiceReply(head: nil, outcome: .failed(lost))) == .failed(lost)
        )
        let half = try MultipartScene.reply(200, [:], "<Comp", .failed(lost))
        #expect(completionFailure(half) == .failed(lost))
        #expect(completionFailure(ServiceReply(head: nil, outcome: .cancelled)) == .cancelled)
        // The head alone shows this.
        let refused = try MultipartScene.reply(412, [:], "<Err", .failed(lost))
        #expect(completionFailure(refused)?.refusal?.isConditionUnmet == true)
    }

    @Test func `refusals are told apart`() throws {
        func refusal(_ code: String, _ status: Int) throws -> ObjectRefusal {
            let reply = try MultipartScene.error(code, status: status)
            return try #require(completionFailure(reply)?.refusal)
        }
        #expect(try refusal("PreconditionFailed", 412).isConditionUnmet)
        #expect(try refusal("NoSuchKey", 404).isConditionUnmet)
        #expect(try refusal("ConditionalRequestConflict", 409).isConflict)
        #expect(try refusal("NoSuchUpload", 404).isWithoutUpload)
        #expect(try refusal("NotImplemented", 501).isUnknownRequest)
        #expect(try refusal("SlowDown", 503).isTemporary)
        let denied = try refusal("AccessDenied", 403)
        #expect(denied.reason == "AccessDenied: no")
        #expect(!denied.isConditionUnmet)
        #expect(!denied.isConflict)
        #expect(!denied.isWithoutUpload)
        #expect(!denied.isUnknownRequest)
        #expect(!denied.isTemporary)
    }
}
