import PawlCore
import PawlEngine
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)), .inTurn)
struct StreamRetryTests {
    private let resource = Resource(size: 100_000)

    /// What breaks before a byte of the body.
    enum Fault: CaseIterable, Sendable {
        case hangUp, head, busy

        var reply: Reply {
            let resource = Resource(size: 100_000)
            let answer = Reply.resource(resource).choosing(.status(200, body: "done")) {
                $0.request.method == "POST"
            }
            return switch self {
            case .hangUp: .hangUp(.reset)
            case .head: answer.afterBytes(0, .reset)
            case .busy: .status(503)
            }
        }
    }

    @Test(arguments: Fault.allCases)
    func `a GET is retried if no byte was read`(fault: Fault) async throws {
        let scene = try Scene(.sequence([fault.reply, .resource(resource)]))
        let stream = try scene.stream(by: EngineProcess())
        let (pieces, error) = await stream.readAll()
        #expect(error == nil)
        #expect(Array(pieces.joined()) == resource.bytes())
        #expect(scene.asked.count == 2)
    }

    @Test(arguments: Fault.allCases)
    func `a POST is never retried`(fault: Fault) async throws {
        let good = Reply.status(200, body: "done")
        let scene = try Scene(.sequence([fault.reply, good]))
        _ = try await scene.refusal("POST", body: [1, 2, 3])
        #expect(scene.asked.count == 1)
    }

    @Test(arguments: ["GET", "POST"])
    func `a silent server is retried for GET, but not for POST`(method: String) async throws {
        let clock = ManualTimekeeper()
        let scene = try Scene(.sequence([.never, .status(200, body: "done")]))
        let stream = try scene.stream(method, by: EngineProcess(time: clock))
        async let answer = stream.readAll()
        await scene.origin.waitForRequests(1)
        await clock.waitForSleeper(until: .zero + .seconds(30))
        clock.advance(by: .seconds(30))
        let (pieces, error) = await answer
        let isAskedAgain = method == "GET"
        #expect(error?.code == (isAskedAgain ? nil : .timedOut))
        #expect(Array(pieces.joined()) == (isAskedAgain ? Array("done".utf8) : []))
        #expect(scene.asked.count == (isAskedAgain ? 2 : 1))
    }

    @Test func `a POST is not retried over a connection that turns out to be dead`() async throws {
        let scene = try Scene(.status(200, body: "warm"))
        scene.origin.route("/post", .sequence([.hangUp(.reset), .status(200)]))
        let process = EngineProcess()
        for _ in 0..<4 { try await scene.answer(by: process) }
        let error = try await scene.refusal("POST", from: "/post", body: [1], by: process)
        #expect(error.code == .network)
        #expect(scene.origin.requests(to: "/post").count == 1)
    }

    @Test func `after a POST's redirect only the GET is retried`() async throws {
        let scene = try Scene(.redirect(to: "/outcome", status: 303))
        scene.origin.route("/outcome", .sequence([.status(503), .status(200, body: "done")]))
        let body = try await scene.answer("POST", body: [1])
        #expect(body.bytes == Array("done".utf8))
        #expect(scene.asked.map(\.method) == ["POST", "GET", "GET"])
        #expect(body.response.redirects.count == 1)
    }

    @Test func `an expired redirect is requested again`() async throws {
        let scene = try Scene(.redirect { "/signed?\($0.ordinal)" })
        scene.origin.route("/signed", .sequence([.status(503), .resource(resource)]))
        let body = try await scene.answer()
        #expect(body.bytes == resource.bytes())
        #expect(scene.asked.map(\.target).last == "/signed?2")
        #expect(body.response.redirects.count == 1)
    }

    @Test(arguments: [429, 503])
    func `a stream obeys Retry-After`(status: Int) async throws {
        let busy = Reply.status(status, fields: [("Retry-After", "1")])
        let scene = try Scene(.sequence([busy, .resource(resource)]))
        #expect(try await scene.answer().bytes == resource.bytes())
        let moments = scene.asked.map(\.moment)
        #expect(moments.count == 2)
        #expect(moments.count == 2 && moments[1] - moments[0] >= .seconds(1))
    }

    /// The host is closed by a download, for example, and no other request notices when it opens.
    @Test func `a waiting stream notices when a closed host opens again`() async throws {
        let latch = Latch()
        let reply = Reply.resource(resource)
        let scene = try Scene(.sequence([reply.holdAfterBytes(0, until: latch), reply]))
        var settings = EngineSettings()
        settings.connectionsPerHost = 1
        let clock = ManualTimekeeper()
        let process = EngineProcess(settings, time: clock)
        let budgets = process.engine.budgets
        let first = try scene.stream(by: process)
        async let _ = first.readAll()
        await latch.waitForArrivals()
        let second = try scene.stream(by: process)
        async let answer = second.readAll()
        while budgets.hosts.first?.waiting != 1, !Task.isCancelled { await Task.yield() }
        budgets.close(HostBudget.name(of: try scene.url()), for: .seconds(3))
        first.cancel()
        while budgets.hosts.first?.connections != 0, !Task.isCancelled { await Task.yield() }
        for seconds in 1...3 {
            await clock.waitForSleeper(until: .zero + .seconds(seconds))
            clock.advance(by: .seconds(1))
        }
        let (pieces, error) = await answer
        #expect(error == nil)
        #expect(Array(pieces.joined()) == resource.bytes())
        latch.release()
    }

    @Test func `a server that asks a stream for too long a wait is given up`() async throws {
        let scene = try Scene(.status(429, fields: [("Retry-After", "3600")]))
        #expect(try await scene.refusal().code == .serverBusy)
        #expect(scene.asked.count == 1)
    }

    @Test func `a stream retries no more often than the settings allow`() async throws {
        let scene = try Scene(.status(503))
        #expect(try await scene.refusal().code == .serverBusy)
        #expect(scene.asked.count == 4)
    }

    @Test func `a different answer is not passed off as the one shown before`() async throws {
        let other = Resource(size: 100_000, seed: 2)
        let scene = try Scene(.sequence([Fault.head.reply, .resource(other)]))
        let stream = try scene.stream(by: EngineProcess())
        _ = try await stream.open()
        let error = await #expect(throws: DownloadError.self) { try await stream.next() }
        #expect(error?.code == .keepsChanging)
    }
}
