import Pawl
import PawlCore
import Testing
import struct FoundationEssentials.URL

/// What a service reports of an object, and its unfinished uploads.
@Suite(.timeLimit(.minutes(5)))
struct ObjectHeadTests {
    @Test func `the head of an object`() throws {
        let request = ObjectHead.request(for: try MultipartScene().target)
        #expect(request.method == "HEAD")
        #expect(request.url.absoluteString == "s3://photos/a%20b/c.iso")
        let reply = try MultipartScene.reply(
            200,
            [
                "Content-Length": "12", "ETag": "\"t\"", "x-amz-checksum-crc32c": "4waSgw==-3",
                "X-Amz-Meta-Pawl": "q-1", "x-amz-version-id": "v",
            ]
        )
        let head = try #require(try ObjectHead(reply))
        #expect(head.bytes == 12)
        #expect(head.tag == "\"t\"")
        #expect(head.checksum == ObjectChecksum("4waSgw==-3"))
        #expect(head.metadata == ["pawl": "q-1"])
        #expect(head.version == "v")
    }

    @Test func `a missing object, a refusal and a response without a size differ`() throws {
        #expect(try ObjectHead(try MultipartScene.reply(404)) == nil)
        let denied = try MultipartScene.reply(403)
        #expect(failure { _ = try ObjectHead(denied) }?.refusal?.status == 403)
        let bare = try MultipartScene.reply(200, ["ETag": "\"t\""])
        #expect(failure { _ = try ObjectHead(bare) }?.isUnclear == true)
    }

    @Test func `an object is put under a condition`() throws {
        let put = ObjectPut(
            try MultipartScene().target,
            ObjectFacts(metadata: ["pawl": "q-1"]),
            if: .absent
        )
        let upload = put.upload(.memory([1]))
        #expect(upload.request.url.absoluteString == "s3://photos/a%20b/c.iso")
        #expect(upload.request.fields.value("If-None-Match") == "*")
        #expect(upload.request.fields.value("x-amz-meta-pawl") == "q-1")
        let stored = try put.stored(upload, try MultipartScene.reply(200, ["ETag": "\"t\""]))
        #expect(stored.tag == "\"t\"")
        #expect(stored.checksum == ObjectChecksum(of: [1]))
        let there = try MultipartScene.error("PreconditionFailed", status: 412)
        #expect(failure { _ = try put.stored(upload, there) }?.refusal?.isConditionUnmet == true)
    }

    @Test func `an answer before the content was read proves nothing`() throws {
        let put = ObjectPut(try MultipartScene().target, if: nil)
        let upload = put.upload(.streamed(MemoryBody([1]), bytes: 1))
        let early = try MultipartScene.reply(200, ["ETag": "\"t\""])
        #expect(failure { _ = try put.stored(upload, early) }?.isUnclear == true)
    }

    private func page(_ entries: String, next: String? = nil) throws -> ServiceReply {
        try MultipartScene.reply(
            200,
            [:],
            "<ListMultipartUploadsResult><EncodingType>url</EncodingType>"
                + "<IsTruncated>\(next != nil)</IsTruncated>"
                + (next.map { "<NextKeyMarker>\($0)</NextKeyMarker>" } ?? "")
                + (next == nil ? "" : "<NextUploadIdMarker>i+/2</NextUploadIdMarker>")
                + "\(entries)</ListMultipartUploadsResult>"
        )
    }

    @Test func `unfinished uploads are listed page by page`() throws {
        let template = try MultipartScene.template("s3://photos/a%20b/")
        var uploads = try #require(UnfinishedUploads(below: template))
        let first = try #require(uploads.nextPage())
        #expect(
            first.url.absoluteString == "s3://photos/?uploads=&encoding-type=url&prefix=a%20b%2F"
        )
        #expect(first.credentials?.name == "AKID")
        let entries = try uploads.read(
            try page(
                """
                <Upload><Key>a+b/x%2By</Key><UploadId>i1</UploadId>\
                <Initiator><ID>me</ID></Initiator><Initiated>2026-01-01T00:00:00Z</Initiated>\
                </Upload><Upload><Key>other</Key><UploadId>i2</UploadId></Upload>
                """,
                next: "a+b/x%2By"
            )
        )
        #expect(entries.map { String(decoding: $0.key, as: UTF8.self) } == ["a b/x+y"])
        #expect(entries.map(\.id) == ["i1"])
        #expect(entries.map(\.begun) == ["2026-01-01T00:00:00Z"])
        let second = try #require(uploads.nextPage())
        #expect(
            second.url.absoluteString.hasSuffix(
                "&key-marker=a%20b%2Fx%2By&upload-id-marker=i%2B%2F2"
            )
        )
        #expect(try uploads.read(try page("")).isEmpty)
        #expect(uploads.nextPage() == nil)
    }

    @Test func `a list that repeats a page has an end`() throws {
        let template = try MultipartScene.template("s3://photos/")
        var uploads = try #require(UnfinishedUploads(below: template))
        let page = try page("", next: "a")
        #expect(failure { _ = try uploads.read(page) } == nil)
        #expect(failure { _ = try uploads.read(page) }?.isUnclear == true)
    }
}
