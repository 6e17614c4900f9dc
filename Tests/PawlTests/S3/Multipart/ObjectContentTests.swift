import Pawl
import PawlCore
import PawlTesting
import Testing

/// The content of parts and objects, as it is sent with its checksum.
@Suite(.timeLimit(.minutes(5)))
struct ObjectContentTests {
    private let digits = Array("123456789".utf8)
    /// The check value of CRC-32C.
    private let digitsChecksum = "4waSgw=="

    private func upload(_ content: ObjectContent) throws -> ContentUpload {
        ObjectPut(try MultipartScene().target, if: nil).upload(content)
    }

    /// Reads a body to its end, with a buffer of a given size.
    private func read(_ source: any BodySource, by size: Int) -> (bytes: [UInt8], end: BodyReading)
    {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: size)
        while true {
            let reading = buffer.withUnsafeMutableBytes { source.read(into: $0) }
            guard case .bytes(let count) = reading else { return (bytes, reading) }
            bytes += buffer[..<count]
        }
    }

    @Test func `content in memory has its checksum in the head`() throws {
        let upload = try upload(.memory(digits))
        #expect(upload.checksum == ObjectChecksum(digitsChecksum))
        let request = upload.request
        #expect(request.method == "PUT")
        #expect(request.fields.value("x-amz-checksum-crc32c") == digitsChecksum)
        #expect(request.fields.value("x-amz-trailer") == nil)
        let body = try #require(request.bodySource)
        #expect(body.length == 9)
        #expect(body.begin {})
        #expect(read(body, by: 4).bytes == digits)
    }

    @Test(arguments: [1, 9, 1000], [0, 8] as [Int64])
    func `a source with more bytes than announced fails`(size: Int, announced: Int64) throws {
        let upload = try upload(.streamed(ScriptedBody(digits), bytes: announced))
        let body = try #require(upload.request.bodySource)
        #expect(body.begin {})
        let (bytes, end) = read(body, by: size)
        guard case .failed(let reason) = end else {
            Issue.record("\(end)")
            return
        }
        #expect(reason == "it has more bytes than announced, \(announced)")
        // Without the checksum, the service does not accept the content.
        #expect(!String(decoding: bytes, as: UTF8.self).contains("checksum"))
        #expect(upload.checksum == nil)
    }

    @Test func `a source that has its bytes and does not end is not waited for`() throws {
        let source = ScriptedBody(digits, length: 9, isComplete: false)
        let upload = try upload(.streamed(source, bytes: 9))
        let body = try #require(upload.request.bodySource)
        #expect(body.begin {})
        #expect(read(body, by: 1000).end == .end)
        #expect(upload.checksum == ObjectChecksum(digitsChecksum))
    }

    @Test(arguments: [1, 7, 1000, 200_000])
    func `streamed content is followed by its checksum`(size: Int) throws {
        let upload = try upload(.streamed(ScriptedBody(digits), bytes: 9))
        #expect(upload.checksum == nil)
        let fields = upload.request.fields
        #expect(fields.value("x-amz-checksum-crc32c") == nil)
        #expect(fields.value("x-amz-trailer") == "x-amz-checksum-crc32c")
        #expect(fields.value("x-amz-decoded-content-length") == "9")
        #expect(fields.value("Content-Encoding") == "aws-chunked")
        #expect(fields.value("x-amz-content-sha256") == "STREAMING-UNSIGNED-PAYLOAD-TRAILER")
        let body = try #require(upload.request.bodySource)
        for _ in 0..<2 {
            #expect(body.begin {})
            let (bytes, end) = read(body, by: size)
            #expect(end == .end)
            #expect(
                String(decoding: bytes, as: UTF8.self)
                    == "9\r\n123456789\r\n0\r\nx-amz-checksum-crc32c:\(digitsChecksum)\r\n\r\n"
            )
            #expect(body.length == Int64(bytes.count))
        }
        #expect(upload.checksum == ObjectChecksum(of: digits))
    }

    @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 200_000])
    func `the length is known before, for any size`(count: Int) throws {
        let content = Resource(size: Int64(count)).bytes()
        let upload = try upload(.streamed(ScriptedBody(content), bytes: Int64(count)))
        let body = try #require(upload.request.bodySource)
        #expect(body.begin {})
        let (bytes, end) = read(body, by: 10_000)
        #expect(end == .end)
        #expect(body.length == Int64(bytes.count))
        #expect(upload.checksum == ObjectChecksum(of: content))
    }

    @Test func `content that ends early has no checksum`() throws {
        let upload = try upload(.streamed(ScriptedBody(digits), bytes: 10))
        let body = try #require(upload.request.bodySource)
        #expect(body.begin {})
        guard case .failed = read(body, by: 100).end else {
            Issue.record("the body did not fail")
            return
        }
        #expect(upload.checksum == nil)
    }

    @Test func `content without bytes is awaited`() throws {
        let source = ScriptedBody(Array(digits[..<4]), isComplete: false)
        let upload = try upload(.streamed(source, bytes: 9))
        let body = try #require(upload.request.bodySource)
        let calls = Observed(0)
        #expect(body.begin { calls.update { $0 += 1 } })
        #expect(read(body, by: 100).end == .later)
        source.append(Array(digits[4...]))
        #expect(calls.value == 1)
        #expect(read(body, by: 100).end == .end)
        #expect(upload.checksum == ObjectChecksum(of: digits))
    }

    @Test func `only content that cannot be read twice waits for the server's consent`() throws {
        let once = try upload(.streamed(ScriptedBody(digits, isRepeatable: false), bytes: 9))
        #expect(once.request.continueTimeout != nil)
        #expect(once.request.bodySource?.isRepeatable == false)
        let often = try upload(.streamed(ScriptedBody(digits), bytes: 9))
        #expect(often.request.continueTimeout == nil)
        #expect(often.request.bodySource?.isRepeatable == true)
    }

    @Test func `checksums of parts are combined`() throws {
        let parts = [ObjectChecksum(of: [1]), ObjectChecksum(of: [2, 3])]
        let whole = ObjectChecksum(ofPartsWith: parts)
        #expect(whole.parts == 2)
        #expect(whole.bytes == ObjectChecksum(of: parts.flatMap(\.bytes)).bytes)
        #expect(ObjectChecksum("\(whole.bytes.base64)-2") == whole)
        #expect(ObjectChecksum(whole.bytes.base64) != whole)
    }

    @Test(arguments: ["", "x", "4waSgw==-", "4waSgw==-0", "4waSgw==-2-2", "4waS"])
    func `other texts are no checksums`(text: String) {
        #expect(ObjectChecksum(text) == nil)
    }
}
