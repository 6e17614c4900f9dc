import Pawl
import PawlCore
import PawlLibrary
import PawlTestKit
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ScriptedDataTests {
    @Test func `a handler answers by the request's method, fields and body`() async throws {
        let server = ScriptedServer { request in
            guard request.method == "POST", request["X-Own"] == "yes" else { return nil }
            return .text(String(decoding: request.body, as: UTF8.self) + "\(request.number)")
        }
        let scene = try ScriptedScene(server: server)
        var request = DownloadRequest(try scene.url("form?a=1#part")) { settings in
            settings.credentials = Credentials(name: "Aladdin", password: "open sesame")
            settings.connection.referer = try? scene.url("page")
        }
        request.method = "POST"
        request.body = Array("body ".utf8)
        request.fields = [HTTPField(name: "X-Own", value: "yes")]
        #expect(try await scene.session.data(for: request).string() == "body 1")
        #expect(try await scene.session.data(for: request).string() == "body 2")
        let received = try #require(server.requests.first)
        #expect(received.url == (try scene.url("form?a=1")))
        #expect(received["Authorization"] == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
        #expect(received["Referer"] == "https://files.example.com/page")
    }

    @Test func `a redirect leads to another scripted URL`() async throws {
        let scene = try ScriptedScene()
        let target = try scene.url("new.txt", host: "mirror.example.com")
        scene.server.respond(to: try scene.url("old.txt"), with: .redirect(to: target))
        scene.server.respond(to: target, with: .text("moved"))
        let fetched = try await scene.session.data(from: try scene.url("old.txt"))
        #expect(try fetched.string() == "moved")
        #expect(fetched.response.url == target)
        #expect(scene.server.requests.map(\.url) == [try scene.url("old.txt"), target])
    }

    @Test(arguments: [("bytes=2-4", "234"), ("bytes=7-", "789"), ("bytes=-2", "89")])
    func `a range receives its bytes`(_ range: String, _ expected: String) async throws {
        let scene = try ScriptedScene()
        scene.server.respond(to: try scene.url(), with: .text("0123456789"))
        var request = DownloadRequest(try scene.url())
        request.fields = [HTTPField(name: "Range", value: range)]
        let fetched = try await scene.session.data(for: request)
        #expect(try fetched.string() == expected)
        #expect(fetched.response.status == 206)
        #expect(fetched.response.value("Content-Range")?.hasSuffix("/10") == true)
    }

    @Test func `a range after the end is refused, and one of another version ignored`()
        async throws
    {
        let scene = try ScriptedScene()
        scene.server.respond(to: try scene.url(), with: .text("0123456789").field("ETag", "\"a\""))
        var request = DownloadRequest(try scene.url())
        request.fields = [HTTPField(name: "Range", value: "bytes=10-")]
        let error = await #expect(throws: DownloadError.self) {
            try await scene.session.data(for: request)
        }
        #expect(error?.httpStatus == 416)
        for (tag, status) in [("\"a\"", 206), ("\"b\"", 200)] {
            request.fields = [
                HTTPField(name: "Range", value: "bytes=1-1"),
                HTTPField(name: "If-Range", value: tag),
            ]
            #expect(try await scene.session.data(for: request).response.status == status)
        }
    }

    @Test func `a compressed response is decoded for data, and never for a file`() async throws {
        let scene = try ScriptedScene()
        let text = String(repeating: "all the same ", count: 1_000)
        scene.server.respond(to: try scene.url(), with: .text(text).compressed())
        let fetched = try await scene.session.data(from: try scene.url())
        #expect(try fetched.string() == text)
        #expect(fetched.response.value("Content-Encoding") == "gzip")
        #expect(fetched.isLengthVerified)
        #expect(scene.server.requests.first?["Accept-Encoding"] == "zstd, br, gzip")
        try await scene.download()
        try scene.expectFile(Array(text.utf8))
    }

    @Test func `a 204 has no length`() async throws {
        let scene = try ScriptedScene()
        scene.server.respond(to: try scene.url(), with: .status(204))
        let response = try await scene.session.data(from: try scene.url()).response
        #expect(response.value("Content-Length") == nil)
    }

    @Test func `a field can be replaced and removed`() async throws {
        let scene = try ScriptedScene()
        let response = ScriptedResponse.text("text").field("etag", "\"own\"")
            .field("Content-Length", nil).field("X-Own", "1").field("x-own", "2")
        scene.server.respond(to: try scene.url(), with: response)
        let fetched = try await scene.session.data(from: try scene.url())
        #expect(fetched.response.value("ETag") == "\"own\"")
        #expect(fetched.response.value("Content-Length") == nil)
        #expect(fetched.response.value("X-Own") == "2")
    }

    @Test func `a slow reader holds the response back`() async throws {
        let scene = try ScriptedScene()
        let url = try scene.url()
        scene.server.respond(to: url, with: .body([UInt8].sample(2_000_000)))
        let replacement = SessionConfiguration.default.scripted(by: scene.server).replacement
        let sink = SlowSink()
        let transfer = try #require(replacement?.transport)
            .start(TransferRequest(url: url), sink: sink)
        for piece in 1...3 {
            await sink.state.wait { $0.pieces >= piece || $0.end != nil }
            // A response that is not held back would pass on another piece between two nudges.
            for nudge in 1...2 {
                transfer.nudge()
                await sink.state.wait { $0.nudges >= 2 * (piece - 1) + nudge || $0.end != nil }
            }
            #expect(sink.state.value.pieces == piece)
            transfer.resume()
        }
        transfer.cancel()
        #expect(await sink.state.wait { $0.end != nil }.end == .cancelled)
    }

    @Test func `a reader receives all pieces in order`() async throws {
        let scene = try ScriptedScene()
        let bytes = [UInt8].sample(2_000_000)
        scene.server.respond(to: try scene.url(), with: .body(bytes))
        var received: [UInt8] = []
        for try await chunk in try await scene.session.bytes(from: try scene.url()) {
            received += chunk
        }
        #expect(received == bytes)
    }

    @Test func `a library downloads from the server, and asks whether a file has changed`()
        async throws
    {
        let scene = try ScriptedScene()
        let url = try scene.url()
        var configuration = LibraryConfiguration()
        configuration.session = SessionConfiguration.default.scripted(by: scene.server)
        configuration.session.removesLeftovers = false
        configuration.finishedFilePolicy = .revalidate
        let library = try await DownloadLibrary(
            folder: .directory(scene.folder.path),
            configuration: configuration
        )
        // A changed file takes a second request.
        for (text, count) in [("first", 1), ("first", 2), ("second", 4)] {
            scene.server.respond(to: url, with: .text(text))
            let file = try await library.file(for: "key", from: url)
            let name = String(file.path.split(separator: "/").last ?? "")
            #expect(try scene.folder.readText(name) == text)
            #expect(scene.server.requests.count == count)
        }
        let conditions = scene.server.requests.map { $0["If-None-Match"] }
        #expect(conditions[0] == nil && conditions[1] != nil && conditions[1] == conditions[2])
        await library.close()
    }
}

/// Holds the response back after each piece.
private final class SlowSink: TransferSink {
    struct State: Sendable {
        var pieces = 0
        var nudges = 0
        var end: TransferOutcome?
    }

    let state = Observed(State())

    func transferReceived(_ head: ResponseHead) -> HeadDecision { .take }

    func transferReceived(_ bytes: UnsafeRawBufferPointer) -> BodyDecision {
        state.update { $0.pieces += 1 }
        return .hold
    }

    func transferNudged() -> BodyDecision {
        state.update { $0.nudges += 1 }
        return .more
    }

    func transferEnded(_ end: TransferEnd) { state.update { $0.end = end.outcome } }
}
