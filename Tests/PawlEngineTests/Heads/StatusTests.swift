import PawlCore
import PawlTesting
import Testing

/// The table "Judging a head": all other statuses.
@Suite(.timeLimit(.minutes(5)), .inTurn)
struct StatusTests {
    private let resource = Resource(size: Scene.size)

    @Test(arguments: [204, 205, 304], Scene.connectionCounts)
    func `an error about a status without a file names the status`(status: Int, connections: Int)
        async throws
    {
        let scene = try Scene(.status(status))
        let error = try await scene.failure(scene.settings(connections))
        #expect(error.code == .badResponse)
        #expect(error.message.contains("\(status)"))
        #expect(scene.folder.list().isEmpty)
    }

    @Test(arguments: [204, 304])
    func `a status without a file leaves an interrupted download as it is`(
        status: Int
    ) async throws {
        let scene = try Scene()
        let settings = scene.settings(1)
        try await scene.begin(.resumed, of: resource, settings, then: .status(status))
        let error = try await scene.failure(settings)
        #expect(error.message.contains("\(status)"))
        scene.serve(.resource(resource))
        scene.forgetRequests()
        try await scene.download(settings)
        try scene.expectFile(resource)
        #expect(scene.asked.map { $0.range?.first } == [Scene.heldBytes])
    }

    @Test func `endless interim responses are an error`() async throws {
        let scene = try Scene(.endless("", repeating: "HTTP/1.1 103 Early Hints\r\nA: b\r\n\r\n"))
        let error = try await scene.failure(scene.settings(1))
        #expect(error.code == .badResponse)
    }

    @Test(arguments: ["HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 100 Continue\r\n\r\n", "HT"])
    func `a head that is cut off is requested again`(head: String) async throws {
        let scene = try Scene(.sequence([.raw(head), .resource(resource)]))
        try await scene.download(scene.settings(1))
        try scene.expectFile(resource)
        #expect(scene.asked.count == 2)
    }

    @Test func `an interim response before the answer does no harm`() async throws {
        let scene = try Scene(
            .resource(resource).preceded(by: "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
        )
        try await scene.download(scene.settings(4))
        try scene.expectFile(resource)
    }

    @Test(arguments: [401, 407], Scene.connectionCounts)
    func `missing credentials are never retried`(status: Int, connections: Int) async throws {
        let scene = try Scene(.status(status))
        let error = try await scene.failure(scene.settings(connections))
        #expect(error.code == .unauthorized)
        #expect(error.retryClass == .never)
        #expect(scene.asked.count == 1)
    }

    @Test(arguments: [400, 402, 403, 404, 405, 406, 409, 410, 413, 414, 418, 451])
    func `any other 4xx ends the download after one request`(status: Int) async throws {
        let scene = try Scene(.status(status, body: "<html>an error page</html>"))
        let error = try await scene.failure(scene.settings(4))
        let code: ErrorCode =
            switch status {
            case 404, 410: .notFound
            case 403: .unauthorized
            default: .badResponse
            }
        #expect(error.code == code)
        #expect(error.message.contains("\(status)"))
        #expect(scene.asked.count == 1)
        #expect(scene.folder.list().isEmpty)
    }

    @Test(arguments: [403, 404, 410, 451])
    func `a 4xx on resume keeps the bytes`(status: Int) async throws {
        let scene = try Scene()
        let settings = scene.settings(4)
        try await scene.begin(.resumed, of: resource, settings, then: .status(status))
        _ = try await scene.failure(settings)
        scene.serve(.resource(resource))
        scene.forgetRequests()
        try await scene.download(settings)
        try scene.expectFile(resource)
        #expect(scene.asked.allSatisfy { $0.status == 206 })
    }

    @Test(arguments: [408, 425, 429, 500, 502, 503, 504])
    func `a temporary failure is retried`(status: Int) async throws {
        let scene = try Scene(.sequence([.status(status), .resource(resource)]))
        try await scene.download(scene.settings(1))
        try scene.expectFile(resource)
        #expect(scene.asked.count == 2)
    }

    @Test(arguments: [429, 500, 503], Start.allCases)
    func `a temporary failure costs no bytes`(status: Int, start: Start) async throws {
        let scene = try Scene()
        let settings = scene.settings(4)
        let reply = Reply.resource(resource)
        let busy = reply.choosing(.status(status)) { exchange in
            // Two of these in a row would cast doubt on whether the server serves ranges at all.
            let most = status == 500 && start == .resumed ? 1 : 2
            return exchange.range != nil && exchange.ordinal <= most
        }
        try await scene.begin(start, of: resource, settings, then: busy)
        try await scene.download(settings)
        try scene.expectFile(resource)
        #expect(scene.asked.contains { $0.status == status })
        #expect(scene.asked.dropFirst().allSatisfy { $0.range != nil })
    }

    @Test(arguments: [500, 503, 406])
    func `after refused ranges the whole is read, and bytes on disk are skipped`(
        status: Int
    ) async throws {
        let scene = try Scene()
        var settings = scene.settings(4)
        settings.retries = 5
        let reply = Reply.resource(resource).forRanges(.status(status))
        try await scene.begin(.resumed, of: resource, settings, then: reply)
        let running = try scene.start(settings)
        _ = try await running.file()
        try scene.expectFile(resource)
        #expect(scene.asked.count <= 4)
        #expect(scene.asked.last?.range == nil)
        #expect(!running.log.says("starting over"))
    }

    @Test(arguments: [429, 503])
    func `a lasting failure ends the download after its retries`(status: Int) async throws {
        let scene = try Scene(.status(status, body: "busy"))
        let error = try await scene.failure(scene.settings(1))
        #expect(error.code == .serverBusy)
        #expect(error.retryClass == .later)
        #expect(scene.asked.count == 4)
        #expect(scene.folder.list().isEmpty)
    }

    @Test(arguments: Scene.connectionCounts)
    func `a login page is refused on resume, and the file is fetched later`(
        connections: Int
    ) async throws {
        let scene = try Scene()
        let settings = scene.settings(connections)
        let reply = Reply.resource(resource).choosing(.htmlPortal) { $0.ordinal <= 2 }
        try await scene.begin(.resumed, of: resource, settings, then: reply)
        try await scene.download(settings)
        try scene.expectFile(resource)
        let good = scene.asked.filter { $0.status == 206 }
        #expect(good.allSatisfy { ($0.range?.first ?? 0) >= Scene.heldBytes })
        #expect(!scene.asked.contains { $0.range == nil })
    }

    @Test func `a lasting login page is a specific error and keeps the bytes`() async throws {
        let scene = try Scene()
        let settings = scene.settings(1)
        try await scene.begin(.resumed, of: resource, settings, then: .htmlPortal)
        let error = try await scene.failure(settings)
        #expect(error.code == .captivePortal)
        scene.serve(.resource(resource))
        scene.forgetRequests()
        try await scene.download(settings)
        try scene.expectFile(resource)
        #expect(scene.asked.map { $0.range?.first } == [Scene.heldBytes])
    }
}
