import Pawl
import PawlCore
import PawlTesting
import Testing

/// The faults that a test scripts for a bucket, and what it records.
@Suite(.timeLimit(.minutes(5)))
struct BucketFaultTests {
    let bucket: ScriptedBucket
    let client: BucketClient

    init() throws {
        bucket = try ScriptedBucket()
        bucket.setTraits { $0.minimumPartBytes = 1 }
        client = BucketClient(bucket)
    }

    private func putPart(_ number: Int, _ upload: String) throws -> RawAnswer {
        try client.putPart(number, of: "m", upload, [UInt8(number)])
    }

    @Test func `requests are recorded with what they carry`() throws {
        let upload = try client.createUpload("m", ["x-amz-meta-epoch": "41"])
        let fields = ["x-amz-meta-epoch": "42"]
        _ = try client.putPart(3, of: "m", upload, [1, 2], fields)
        _ = try client.putPart(3, of: "none", upload, [1, 2, 3])
        let requests = bucket.requests
        #expect(requests.map(\.operation) == [.createMultipartUpload, .uploadPart, .uploadPart])
        #expect(requests.map(\.number) == [1, 2, 3])
        #expect(requests.map(\.ordinal) == [1, 1, 2])
        #expect(requests.map(\.epoch) == [41, 42, nil])
        #expect(requests.map(\.partNumber) == [nil, 3, 3])
        #expect(requests.map(\.key) == ["m", "m", "none"])
        #expect(requests.map(\.payloadBytes) == [0, 2, 3])
        #expect(requests.map(\.status) == [200, 200, 404])
        #expect(requests.map(\.errorCode) == [nil, nil, "NoSuchUpload"])
        #expect(requests.map(\.hadEffect) == [true, true, false])
        #expect(requests[1].uploadID == upload)
        #expect(bucket.uploads.first?.notes.metadata == ["epoch": "41"])
        #expect(bucket.uploads.first?.parts.keys.sorted() == [3])
    }

    @Test func `the n-th request for an operation fails, before or after its effect`() throws {
        let upload = try client.createUpload("m")
        bucket.on(.uploadPart, 2, .answer(503, "SlowDown"))
        bucket.on(.uploadPart, 4, .answer(500, "InternalError", afterEffect: true))
        let answers = try (1...5).map { try putPart($0, upload) }
        #expect(answers.map(\.status) == [200, 503, 200, 500, 200])
        #expect(answers[1].element("Code") == "SlowDown")
        #expect(bucket.uploads.first?.parts.keys.sorted() == [1, 3, 4, 5])
        #expect(bucket.requests(.uploadPart).map(\.hadEffect) == [true, false, true, true, true])
    }

    @Test func `the outcome of a request can stay unknown`() throws {
        bucket.on(.putObject, 1, .cutBefore())
        bucket.on(.putObject, 2, .cutAfter())
        bucket.on(.putObject, 3, .cutAfter(.close))
        bucket.on(.putObject, 4, .cutBody(after: 3))
        for number in 1...4 {
            let answer = try client.put("k\(number)", "hello")
            #expect(answer.status == 0)
            #expect(answer.body.isEmpty)
            #expect(answer.end == (number == 3 ? .closed : .reset))
        }
        #expect(bucket.keys() == ["k2", "k3"])
        #expect(bucket.requests.map(\.status) == [nil, nil, nil, nil])
        #expect(bucket.requests.map(\.hadEffect) == [false, true, true, false])
        #expect(try client.put("k5", "hello").status == 200)
    }

    @Test(arguments: [false, true])
    func `an answer of 200 can contain an error`(afterEffect: Bool) throws {
        let upload = try client.createUpload("m")
        let tag = try putPart(1, upload)["ETag"]
        bucket.on(
            .completeMultipartUpload,
            1,
            .errorDocument("InternalError", afterEffect: afterEffect)
        )
        let answer = try client.complete("m", upload, [(1, tag, "")])
        #expect(answer.status == 200)
        #expect(answer.element("Code") == "InternalError")
        #expect(answer.element("ETag") == nil)
        #expect((bucket.object("m") != nil) == afterEffect)
        #expect(bucket.uploads.isEmpty == afterEffect)
        #expect(bucket.requests.last?.errorCode == "InternalError")
        // The same list can be sent again.
        #expect(try client.complete("m", upload, [(1, tag, "")]).status == 200)
        #expect(bucket.object("m")?.bytes == [1])
    }

    @Test func `a request is held before or after its effect`() async throws {
        let (before, after) = (Latch(), Latch())
        bucket.on(.putObject, 1, .holdBefore(before))
        bucket.on(.putObject, 2, .holdAfter(after))
        let first = try client.begin("PUT", "a", body: [1])
        await before.waitForArrivals()
        let second = try client.begin("PUT", "b", body: [2])
        await after.waitForArrivals()
        #expect(bucket.keys() == ["b"])
        // Another client stores an object in the meantime.
        bucket.store([3], as: "a")
        before.release()
        after.release()
        for connection in [first, second] {
            #expect(RawAnswer(connection.receiveAll().bytes, .closed).status == 200)
        }
        #expect(bucket.object("a")?.bytes == [1])
    }

    @Test func `a held request whose client leaves has no effect`() async throws {
        let latch = Latch()
        bucket.on(.putObject, 1, .holdBefore(latch))
        var connection: RawClient? = try client.begin("PUT", "a", body: [1])
        await latch.waitForArrivals()
        #expect(connection != nil)
        connection = nil
        await bucket.waitUntil { $0.first?.hasEnded == true }
        latch.release()
        #expect(bucket.keys().isEmpty)
        #expect(bucket.requests.first?.hadEffect == false)
    }

    @Test func `a body is read late and slowly`() async throws {
        let latch = Latch()
        bucket.on(.putObject, 1, .holdBody(latch))
        let connection = try client.begin("PUT", "a", fields: ["Expect": "100-continue"]) {
            $0.fields.append(HTTPField(name: "Content-Length", value: "5"))
        }
        await latch.waitForArrivals()
        #expect(bucket.requests.first?.hasEnded == false)
        latch.release()
        #expect(connection.receiveHead() == "HTTP/1.1 100 Continue\r\n\r\n")
        connection.send("hello")
        #expect(RawAnswer(connection.receiveAll().bytes, .closed).status == 200)
        #expect(bucket.object("a")?.bytes == Array("hello".utf8))

        bucket.on(.putObject, 2, .slowBody(bytesPerSecond: 50_000))
        let body = [UInt8](repeating: 7, count: 10_000)
        let start = SystemTimekeeper().now()
        #expect(try client.ask("PUT", "b", body: body).status == 200)
        // The last of ten slices is read after nine of them: 180 ms.
        #expect(SystemTimekeeper().now() - start >= .milliseconds(150))
        #expect(bucket.object("b")?.bytes == body)
    }

    @Test func `an answer can name wrong digests, be late, or end early`() throws {
        let upload = try client.createUpload("m")
        let fields = ["x-amz-checksum-crc32c": "4waSgw=="]
        let bytes = Array("123456789".utf8)
        bucket.on(.wrongDigests) { $0.operation == .uploadPart }
        let wrong = try client.putPart(1, of: "m", upload, bytes, fields)
        #expect(wrong.status == 200)
        bucket.removeFaults()
        let right = try client.putPart(1, of: "m", upload, bytes, fields)
        #expect(wrong["ETag"] != right["ETag"])
        #expect(right["x-amz-checksum-crc32c"] == "4waSgw==")
        #expect(wrong["x-amz-checksum-crc32c"] != right["x-amz-checksum-crc32c"])
        #expect(wrong["x-amz-checksum-crc32c"]?.utf8.count == 8)
        bucket.on(.completeMultipartUpload, 1, .wrongDigests)
        let done = try client.complete("m", upload, [(1, right["ETag"], "")])
        #expect(done.status == 200)
        #expect(done.element("ETag") != bucket.object("m")?.entityTag)
        #expect(done.element("Key") == "m")

        bucket.on(.getObject, 1, .delay(.milliseconds(100)))
        bucket.on(.getObject, 2, .change { $0.marks = [BodyMark(after: 4, .end(.reset))] })
        let start = SystemTimekeeper().now()
        #expect(try client.get("m").text == "123456789")
        #expect(SystemTimekeeper().now() - start >= .milliseconds(100))
        let short = try client.get("m")
        #expect(short.text == "1234")
        #expect(short.end == .reset)
    }

    @Test func `a stopped bucket refuses connections`() throws {
        #expect(try client.put("k", "x").status == 200)
        bucket.breakConnections()
        #expect(try client.put("k", "x").status == 200)
        bucket.stop()
        #expect(throws: RawClient.Failed.self) { try client.put("k", "x") }
    }
}
