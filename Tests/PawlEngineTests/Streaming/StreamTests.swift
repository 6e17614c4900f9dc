import struct FoundationEssentials.URL
import PawlCore
import PawlEngine
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)), .inTurn)
struct StreamTests {
    private let resource = Resource(size: 5_000_000)

    @Test(arguments: [false, true])
    func `a stream delivers its response, data in many pieces, and its end`(
        isChunked: Bool
    ) async throws {
        let reply = Reply.resource(resource)
        let scene = try Scene(isChunked ? reply.chunked() : reply)
        let process = EngineProcess()
        let stream = try scene.stream(by: process)
        let response = try await stream.open()
        #expect(response.status == 200)
        #expect(response.expectedContentLength == (isChunked ? nil : resource.size))
        #expect(try await stream.open() == response)
        let (pieces, error) = await stream.readAll()
        #expect(error == nil)
        #expect(pieces.count > 15)
        #expect(pieces.allSatisfy { !$0.isEmpty && $0.count <= 256 << 10 })
        #expect(Array(pieces.joined()) == resource.bytes())
        #expect(try await stream.next() == nil)
        #expect(stream.metrics.transfers == 1)
        #expect(stream.metrics.bytesReceived == resource.size)
        scene.expectManners()
    }

    @Test func `no byte of the body is fetched before it is requested`() async throws {
        let scene = try Scene(.resource(resource))
        let process = EngineProcess()
        let stream = try scene.stream(by: process)
        _ = try await stream.open()
        try await scene.letTurn(process)
        #expect(stream.receivedBytes == 0)
        #expect(await stream.readAll().error == nil)
    }

    @Test(arguments: [204, 200])
    func `an empty body ends at once`(status: Int) async throws {
        let scene = try Scene(.status(status))
        let process = EngineProcess()
        let stream = try scene.stream(by: process)
        #expect(try await stream.open().status == status)
        #expect(try await stream.next() == nil)
    }

    @Test func `up to 20 redirects are followed`() async throws {
        let scene = try Scene(.redirect(to: "/hop/1"))
        scene.origin.route(
            "/hop/*",
            .each { exchange in
                let hop = Int(exchange.request.path.dropFirst(5)) ?? 0
                return hop < 20 ? .redirect(to: "/hop/\(hop + 1)") : .resource(resource)
            }
        )
        let body = try await scene.answer()
        #expect(body.bytes == resource.bytes())
        #expect(body.response.redirects.count == 20)
        #expect(body.response.url.absoluteString.hasSuffix("/hop/20"))
        scene.origin.route("/again", .redirect(to: Scene.path))
        #expect(try await scene.refusal(from: "/again").code == .tooManyRedirects)
    }

    @Test func `a status of 400 or more is an error, or an answer if accepted`() async throws {
        let scene = try Scene(.status(404, body: "no such thing"))
        let error = try await scene.refusal()
        #expect(error.code == .notFound)
        #expect(error.context?.hasPrefix("fetching http://127.0.0.1") == true)
        let stream = try scene.stream(by: EngineProcess(), acceptsErrorStatuses: true)
        let body = try await stream.collect(limit: 1000)
        #expect(body.response.status == 404)
        #expect(String(decoding: body.bytes, as: UTF8.self) == "no such thing")
    }

    @Test func `an unrequested 206 or 304 is an error`() async throws {
        let part = Reply.resource(resource).believing { $0.range = .from(10, last: 19) }
        let scene = try Scene(part)
        #expect(try await scene.refusal().code == .badResponse)
        var settings = scene.settings(1)
        settings.fields = [HTTPField(name: "Range", value: "bytes=10-19")]
        scene.serve(.resource(resource))
        let body = try await scene.answer(with: settings)
        #expect(body.response.status == 206)
        #expect(body.bytes == resource.bytes(ByteRange(10, 20)))
        scene.serve(.status(304))
        #expect(try await scene.refusal().code == .badResponse)
        settings.fields = [HTTPField(name: "If-None-Match", value: "\"v1\"")]
        #expect(try await scene.answer(with: settings).response.status == 304)
    }

    @Test func `a body encoded unasked is delivered as it is, and logged`() async throws {
        let scene = try Scene(.resource(resource).contentEncoding("gzip"))
        let process = EngineProcess()
        let body = try await scene.answer(by: process)
        #expect(body.bytes == resource.bytes())
        #expect(body.response.value("content-encoding") == "gzip")
        #expect(process.log.says("encoded (gzip)"))
    }

    @Test func `a malformed head is refused`() async throws {
        let scene = try Scene(
            .resource(resource).adding("Content-Length", "7").adding("Content-Length", "8")
        )
        #expect(try await scene.refusal().code == .badResponse)
    }
}
