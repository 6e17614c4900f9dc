import FoundationEssentials
import Glibc
import Pawl
import PawlCore
import PawlTesting
import Testing

/// A text in each coding, in hexadecimal digits.
private let samples: [String: String] = [
    "gzip": "1f8b0800000000000203cb48cdc9c9d751c8c0a40055a382771a000000",
    "deflate": "789ccb48cdc9c9d751c8c0a4007c160935",
    "br": "1b1900f88d946ede44095286966c2c6f314f24b0e300",
    "zstd": "28b52ffd201a6d00003868656c6c6f2c2001004a8a11",
]

/// Bodies with a content coding.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct ContentCodingTests {
    private static let text = "hello, hello, hello, hello"

    private static func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = Array(hexadecimal)
        return stride(from: 0, to: digits.count, by: 2).map {
            UInt8(String(digits[$0...($0 + 1)]), radix: 16) ?? 0
        }
    }

    private func encoded(_ coding: String) throws -> [UInt8] {
        Self.bytes(try #require(samples[coding]))
    }

    private func reply(_ body: [UInt8], _ coding: String) -> Reply {
        Reply.resource(Resource(bytes: body)).contentEncoding(coding)
    }

    /// A stream of gzip that becomes `mebibytes` MiB of zeros; each one takes 1,037 bytes.
    private func bomb(mebibytes: Int) -> [UInt8] {
        let begin = Self.bytes("ecc13101000000c2a0f54f6d085fa0")
        let end = Self.bytes("3e030000ffff")
        let piece = begin + [UInt8](repeating: 0, count: 1016) + end
        let head = Self.bytes("1f8b0800000000000003")
        return head + repeatElement(piece, count: mebibytes).joined()
    }

    private func session(_ scene: SessionScene, retries: Int = 0) -> DownloadSession {
        var configuration = scene.configuration
        configuration.settings.retries = retries
        return DownloadSession(configuration)
    }

    @Test(arguments: samples.keys.sorted(), [false, true])
    func `a response is decoded as it arrives`(coding: String, isChunked: Bool) async throws {
        let reply = reply(try encoded(coding), coding)
        let scene = try SessionScene(isChunked ? reply.chunked() : reply)
        let session = session(scene)
        let fetched = try await session.data(from: try scene.url())
        #expect(try fetched.string() == Self.text)
        #expect(fetched.contentEncoding == nil && fetched.isLengthVerified)
        #expect(fetched.response.isContentDecoded)
        #expect(fetched.response.expectedContentLength == nil)
        #expect(fetched.response.value("Content-Encoding") == coding)
        let stream = try await session.bytes(from: try scene.url())
        #expect(try await stream.collect().bytes == Array(Self.text.utf8))
        let asked = scene.origin.requests.compactMap { $0["Accept-Encoding"] }
        #expect(asked == ["zstd, br, gzip", "zstd, br, gzip"])
    }

    @Test func `several codings are removed in turn`() async throws {
        // gzip of the gzip above would be the same code path with another constant.
        let scene = try SessionScene(reply(try encoded("gzip"), "identity, gzip"))
        let fetched = try await session(scene).data(from: try scene.url())
        #expect(try fetched.string() == Self.text)
    }

    @Test func `a response without a coding is as it is`() async throws {
        let resource = Resource(size: 1 << 20)
        let scene = try SessionScene(.resource(resource))
        let fetched = try await session(scene).data(from: try scene.url())
        #expect(fetched.bytes == resource.bytes())
        #expect(!fetched.response.isContentDecoded)
        #expect(fetched.response.expectedContentLength == resource.size)
    }

    @Test func `decoding can be turned off`() async throws {
        let body = try encoded("gzip")
        let scene = try SessionScene(reply(body, "gzip"))
        var request = DownloadRequest(try scene.url())
        request.decodesContent = false
        let fetched = try await session(scene).data(for: request)
        #expect(fetched.bytes == body && fetched.contentEncoding == "gzip")
        #expect(scene.origin.requests.last?["Accept-Encoding"] == "identity")
    }

    @Test func `with an Accept-Encoding or a Range of its own, bytes are as sent`() async throws {
        let body = try encoded("gzip")
        let scene = try SessionScene(reply(body, "gzip"))
        var request = DownloadRequest(try scene.url())
        request.setValue("gzip", forHTTPHeaderField: "accept-encoding")
        let fetched = try await session(scene).data(for: request)
        #expect(fetched.bytes == body && fetched.contentEncoding == "gzip")
        #expect(scene.origin.requests.last?["Accept-Encoding"] == "gzip")

        var part = DownloadRequest(try scene.url())
        part.setValue("bytes=0-9", forHTTPHeaderField: "Range")
        #expect(try await session(scene).data(for: part).bytes == Array(body.prefix(10)))
        #expect(scene.origin.requests.last?["Accept-Encoding"] == "identity")
    }

    @Test func `a file is never requested with a coding`() async throws {
        let resource = Resource(size: 1 << 20)
        let scene = try SessionScene(.resource(resource))
        _ = try await session(scene).download(try scene.url(), to: scene.target())
        #expect(scene.origin.requests.allSatisfy { $0["Accept-Encoding"] == "identity" })
    }

    @Test func `an unknown coding is requested again without codings`() async throws {
        let scene = try SessionScene(reply(Array("plain".utf8), "utf-8"))
        let fetched = try await session(scene).data(from: try scene.url())
        #expect(fetched.bytes == Array("plain".utf8) && fetched.contentEncoding == "utf-8")
        let asked = scene.origin.requests.compactMap { $0["Accept-Encoding"] }
        #expect(asked == ["zstd, br, gzip", "identity"])

        let coding = [("Content-Encoding", "utf-8")]
        scene.origin.route("/form", .status(200, fields: coding, body: "plain"))
        var request = DownloadRequest(try scene.url("/form"))
        request.method = "POST"
        let error = await #expect(throws: DownloadError.self) {
            try await session(scene).data(for: request)
        }
        #expect(error?.code == .badResponse)
        #expect(error?.message.contains("encoded (utf-8)") == true)
        #expect(scene.origin.requests.count == 3)
    }

    @Test(arguments: ["gzip", "br", "zstd"])
    func `a body that breaks off is an error`(coding: String) async throws {
        let body = try encoded(coding)
        for reply in [
            reply(body, coding).afterBytes(12, .close), reply(body, coding).afterBytes(12, .reset),
            reply(Array(body.prefix(12)), coding).chunked(endsProperly: false),
        ] {
            let scene = try SessionScene(reply)
            let error = await #expect(throws: DownloadError.self) {
                try await session(scene).data(from: try scene.url())
            }
            #expect(error?.code == .network, "\(error.map { "\($0)" } ?? "")")
        }
    }

    @Test func `a body that broke before a byte was delivered is requested again`() async throws {
        let body = try encoded("gzip")
        let scene = try SessionScene(
            .sequence([reply(body, "gzip").afterBytes(12, .reset), reply(body, "gzip")])
        )
        let fetched = try await session(scene, retries: 3).data(from: try scene.url())
        #expect(try fetched.string() == Self.text)
        #expect(scene.origin.requests.count == 2)
    }

    @Test func `a body that cannot be decoded is an error with advice`() async throws {
        let body = try encoded("gzip")
        // The second one has two members, which libcurl does not decode.
        for wrong in [Array("plain text, no gzip".utf8), body + body] {
            let scene = try SessionScene(reply(wrong, "gzip"))
            let error = await #expect(throws: DownloadError.self) {
                try await session(scene, retries: 3).data(from: try scene.url())
            }
            #expect(error?.code == .badResponse)
            #expect(error?.message.contains("cannot be decoded") == true)
            #expect(error?.advice.contains("decodesContent") == true)
            #expect(scene.origin.requests.count == 1)
        }
    }

    @Test func `a limit counts decoded bytes`() async throws {
        let scene = try SessionScene(reply(try encoded("gzip"), "gzip"))
        let session = session(scene)
        let count = Int64(Self.text.utf8.count)
        // The encoded body is longer than the text.
        #expect(try await session.data(from: try scene.url(), limit: count).bytes.count == count)
        let error = await #expect(throws: DownloadError.self) {
            try await session.data(from: try scene.url(), limit: count - 1)
        }
        #expect(error?.code == .tooLarge)
    }

    @Test func `a body of 10 MiB that becomes 10 GiB ends early`() async throws {
        let scene = try SessionScene(reply(bomb(mebibytes: 10 << 10), "gzip"))
        let session = session(scene)
        let before = try residentBytes()
        for limit in [1 << 20, FetchedData.defaultLimit] as [Int64] {
            let error = await #expect(throws: DownloadError.self) {
                try await session.data(from: try scene.url(), limit: limit)
            }
            #expect(error?.code == .tooLarge)
        }
        let task = session.dataTask(with: try scene.url(), limit: 1 << 20)
        task.resume()
        let error = await #expect(throws: DownloadError.self) { try await task.data }
        #expect(error?.code == .tooLarge)
        #expect(try residentBytes() - before < 1 << 30)
        #expect(await scene.origin.waitForQuiet().bodyBytesSent < 20 << 20)
    }

    @Test func `back-pressure holds for decoded bytes`() async throws {
        let scene = try SessionScene(reply(bomb(mebibytes: 4 << 10), "gzip"))
        let task = session(scene).dataTask(with: try scene.url())
        task.resume()
        var seen: Int64 = 0
        let before = try residentBytes()
        for try await chunk in task.bytes {
            seen += Int64(chunk.count)
            #expect(task.currentProgress.completedBytes - seen <= 1 << 20)
            if seen > 200 << 20 { break }
        }
        #expect(try residentBytes() - before < 1 << 30)
        for await _ in task.progress {}
        #expect(task.error?.code == .cancelled)
    }

    @Test func `a few bytes that become too many to hold are an error`() async throws {
        // zstd: a frame of blocks that each repeat one byte 128 KiB times, in 4 bytes each.
        var body: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x58]
        let block = UInt32(1 << 1) | UInt32(128 << 10) << 3
        let repeated = [UInt8(block & 0xFF), UInt8(block >> 8 & 0xFF), UInt8(block >> 16), 0x61]
        body += repeatElement(repeated, count: 200_000).joined()
        let scene = try SessionScene(reply(body, "zstd"))
        let before = try residentBytes()
        let error = await #expect(throws: DownloadError.self) {
            try await session(scene).data(from: try scene.url())
        }
        #expect(error?.code == .tooLarge)
        #expect(try residentBytes() - before < 1 << 30)
    }

    /// The memory of this process that is in use, with that of other tests.
    private func residentBytes() throws -> Int64 {
        let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int64($0) }
        return try #require(pages) * Int64(sysconf(Int32(_SC_PAGESIZE)))
    }
}
