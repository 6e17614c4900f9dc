import PawlCore
import PawlEngine
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)), .inTurn)
struct StreamMethodTests {
    private let resource = Resource(size: 1000)
    private let body = Resource(size: 3_000_001, seed: 9).bytes()

    @Test(arguments: ["GET", "POST", "PUT", "PATCH", "DELETE", "REPORT"])
    func `every method sends the caller's fields and body`(method: String) async throws {
        let scene = try Scene(.status(201, body: "made"))
        var settings = scene.settings(1)
        settings.fields = [
            HTTPField(name: "Content-Type", value: "application/x-own"),
            HTTPField(name: "X-Own", value: "a; b=\"c\""),
            HTTPField(name: "Content-Length", value: "3000001"),
        ]
        let answer = try await scene.answer(method, body: body, with: settings)
        #expect(answer.response.status == 201)
        #expect(answer.bytes == Array("made".utf8))
        let request = try #require(scene.asked.first)
        #expect(request.method == method)
        #expect(request.body == body)
        #expect(request["Content-Length"] == "3000001")
        #expect(request["Content-Type"] == "application/x-own")
        #expect(request["X-Own"] == "a; b=\"c\"")
        #expect(request["Accept-Encoding"] == "identity")
        #expect(request["Expect"] == nil)
        #expect(scene.asked.count == 1)
    }

    @Test func `a body has no type unless given, and the sent bytes are counted`() async throws {
        let scene = try Scene(.status(200))
        let stream = try scene.stream("POST", body: body, by: EngineProcess())
        _ = try await stream.open()
        #expect(try await stream.next() == nil)
        #expect(scene.asked.first?["Content-Type"] == nil)
        #expect(stream.sentBytes == Int64(body.count))
    }

    @Test(arguments: ["POST", "PUT", "PATCH"])
    func `an empty body has a Content-Length of 0`(method: String) async throws {
        let scene = try Scene(.status(200))
        try await scene.answer(method)
        #expect(scene.asked.first?["Content-Length"] == "0")
        #expect(scene.asked.first?.method == method)
    }

    @Test func `a request without a body has no Content-Length`() async throws {
        let scene = try Scene(.status(200))
        for method in ["GET", "DELETE", "OPTIONS"] { try await scene.answer(method) }
        #expect(scene.asked.map(\.method) == ["GET", "DELETE", "OPTIONS"])
        #expect(scene.asked.allSatisfy { $0["Content-Length"] == nil })
    }

    @Test func `HEAD returns only the head and keeps the connection`() async throws {
        let scene = try Scene(.resource(Resource(size: 1 << 40)))
        let process = EngineProcess()
        let answer = try await scene.answer("HEAD", by: process)
        #expect(answer.response.expectedContentLength == 1 << 40)
        #expect(answer.bytes.isEmpty)
        scene.serve(.status(200).closeDelimited)
        #expect(try await scene.answer("HEAD", by: process).response.status == 200)
        #expect(scene.origin.snapshot.acceptedConnections == 1)
    }

    @Test(arguments: ["HEAD", "CONNECT", "GE T", "", "GET\r\nX: y"])
    func `an invalid method is refused`(method: String) async throws {
        let scene = try Scene(.status(200))
        let error = try await scene.refusal(method, body: [1])
        #expect(error.code == .usage)
        #expect(scene.asked.isEmpty)
    }

    @Test(arguments: [("Content-Length", "7"), ("Transfer-Encoding", "chunked")])
    func `a field that contradicts the body is refused`(name: String, value: String) async throws {
        let scene = try Scene(.status(200))
        var settings = scene.settings(1)
        settings.fields = [HTTPField(name: name, value: value)]
        #expect(try await scene.refusal("POST", body: [1], with: settings).code == .usage)
        #expect(scene.asked.isEmpty)
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `a redirect keeps method and body if its status requires it`(status: Int) async throws {
        let scene = try Scene(.redirect(to: "/next", status: status))
        scene.origin.route("/next", .status(200, body: "done"))
        var settings = scene.settings(1)
        settings.fields = [HTTPField(name: "Content-Type", value: "text/plain")]
        let answer = try await scene.answer("POST", body: body, with: settings)
        #expect(answer.bytes == Array("done".utf8))
        let next = try #require(scene.origin.requests(to: "/next").first)
        let isKept = status > 303
        #expect(next.method == (isKept ? "POST" : "GET"))
        #expect(next.body == (isKept ? body : []))
        #expect(next["Content-Type"] == (isKept ? "text/plain" : nil))
        #expect(next["Content-Length"] == (isKept ? String(body.count) : nil))
    }

    @Test(arguments: [(301, "PUT", "PUT"), (303, "PUT", "GET"), (303, "HEAD", "HEAD")])
    func `303 leads to a GET, HEAD stays, and 301 changes only POST`(
        status: Int,
        method: String,
        expected: String
    ) async throws {
        let scene = try Scene(.redirect(to: "/next", status: status))
        scene.origin.route("/next", .status(200))
        try await scene.answer(method)
        #expect(scene.asked.map(\.method) == [method, expected])
    }

    @Test func `a redirect to another origin keeps the body but not the secrets`() async throws {
        let scene = try Scene()
        let there = scene.origin.url("/there", host: "localhost")
        scene.serve(.redirect(to: there, status: 307).requireBasic(name: "anna", password: "x"))
        scene.origin.route("/there", .status(200))
        var settings = scene.settings(1)
        settings.credentials = Credentials(name: "anna", password: "x")
        settings.fields = [HTTPField(name: "Cookie", value: "id=1")]
        try await scene.answer("POST", body: body, with: settings)
        let away = try #require(scene.origin.requests(to: "/there").first)
        #expect(away.body == body)
        #expect(away["Authorization"] == nil)
        #expect(away["Cookie"] == nil)
        let home = scene.origin.requests(to: Scene.path)
        #expect(home.last?.body == body)
        #expect(home.last?["Authorization"] != nil)
    }
}
