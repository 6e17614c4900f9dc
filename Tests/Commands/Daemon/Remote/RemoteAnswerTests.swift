import FoundationEssentials
import PawlCore
import PawlTesting
import PawlWire
import Testing

/// `pawl` with a server whose answers are not those of a sound daemon.
@Suite(.timeLimit(.minutes(5)))
struct RemoteAnswerTests {
    private let user: DaemonScene
    private let tokenFile: String
    /// The URLs of a list that needs two requests.
    private let longList = (0..<500).map { number in
        "http://127.0.0.1:1/\(String(repeating: "x", count: 3000))/\(number)"
    }

    init() throws {
        user = try DaemonScene(Workshop())
        tokenFile = try user.home.write("token", "pawl_example\n")
        try user.home.setPermissions("token", 0o600)
    }

    private var origin: ScriptedOrigin { user.workshop.origin }

    private func run(_ arguments: String...) async throws -> FinishedProcess {
        let choice = ["--daemon", origin.url("/base"), "--daemon-token-file", tokenFile]
        return try await user.workshop.run(choice + arguments, user.settings)
    }

    /// The response of a daemon.
    private func answer(_ value: some Encodable) throws -> Reply {
        .status(
            200,
            fields: [(ProtocolVersion.field, "\(ProtocolVersion.current)")],
            body: String(decoding: try WireJSON.encode(value), as: UTF8.self)
        )
    }

    private func route(_ path: String, _ replies: [Reply]) {
        origin.route("/base" + path, .sequence(replies))
    }

    private func count(_ path: String) -> Int { origin.requests(to: "/base" + path).count }

    @Test(arguments: [[5, 5], [5, 4], [5, 9, 5]])
    func `pages that do not proceed end a list of downloads`(pages: [Int64]) async throws {
        let lists = try pages.map { try answer(WireDownloadPage(downloads: [], next: $0)) }
        route(APIPath.downloads, lists)
        let list = try await run("list", "--all")
        expectFailure(.badResponse, list)
        #expect(list.errors.contains("does not follow the last one"), "\(list.errors)")
        #expect(count(APIPath.downloads) == pages.count)
        let requests = try pages.map { try answer(WireRequestPage(requests: [], next: $0)) }
        route(APIPath.requests, requests)
        let export = try await run("export")
        expectFailure(.badResponse, export)
        #expect(count(APIPath.requests) == pages.count)
    }

    @Test func `waiting pauses after a stream of events that has none`() async throws {
        let now = Date()
        var row = WireDownload(id: 1, state: .running, name: "a", url: "b", createdAt: now)
        let running = try answer(row)
        let list = try answer(WireDownloadPage(downloads: [row]))
        row.state = .finished
        let status = DaemonStatus(version: "1", processIdentifier: 1, startedAt: now, store: "x")
        route(APIPath.status, [try answer(status)])
        route(APIPath.downloads, [list])
        route(APIPath.download(1), [running, running, try answer(row)])
        let noEvents = Reply.status(
            200,
            fields: [
                (ProtocolVersion.field, "\(ProtocolVersion.current)"),
                ("Content-Type", "text/event-stream"),
            ]
        )
        route(APIPath.events, [noEvents])
        let waiting = try await run("wait", "1")
        #expect(waiting.status == .code(0), "\(waiting.errors)")
        let moments = origin.requests(to: "/base" + APIPath.events).map(\.moment)
        #expect(moments.count == 3)
        for (first, second) in zip(moments, moments.dropFirst()) {
            // The pause is counted from before the request is sent.
            #expect(second - first > .milliseconds(500))
        }
    }

    /// The response of a daemon that has added downloads.
    private func added(_ count: Int) throws -> Reply {
        let row = WireDownload(id: 1, state: .paused, name: "a", url: "b", createdAt: Date())
        return try answer(WireOutcome(downloads: Array(repeating: row, count: count), lastEvent: 1))
    }

    private func refusal() throws -> Reply {
        let problem = Problem(DownloadError(.notAllowed, "no more room"))
        return .status(
            403,
            fields: [(ProtocolVersion.field, "\(ProtocolVersion.current)")],
            body: String(decoding: try WireJSON.encode(problem), as: UTF8.self)
        )
    }

    private var sentKeys: [String?] {
        origin.requests(to: "/base" + APIPath.downloads).map { $0[APIPath.idempotencyKey] }
    }

    @Test
    func `a list that is too long for one request is divided, and an error states what was added`()
        async throws
    {
        try user.workshop.folder.write("list", longList.joined(separator: "\n"))
        route(APIPath.downloads, [try added(300), try refusal()])
        let run = try await run("add", "-i", "list", "-d", "x")
        expectError(.notAllowed, run)
        #expect(run.output == String(repeating: "1\ta\n", count: 300))
        #expect(
            run.errors.contains(
                "the first 300 of 500 downloads were added, and then a request failed"
            )
        )
        let requests = origin.requests(to: "/base" + APIPath.downloads)
        #expect(requests.count == 2)
        #expect(requests.allSatisfy { (1...1 << 20).contains($0.body.count) })
        #expect(Set(sentKeys).count == 2)
        let sent = try requests.flatMap { request in
            try WireJSON.decode(NewDownloads.self, from: request.body).downloads.map(\.url)
        }
        #expect(sent == longList)
    }

    @Test
    func `a long list has the same keys until all of its downloads were added`() async throws {
        try user.workshop.folder.write("list", longList.joined(separator: "\n"))
        try user.workshop.folder.write("other", longList.dropLast().joined(separator: "\n"))
        let (first, second, refused) = (try added(300), try added(200), try refusal())
        let file = "state/pawl/unfinished-lists"
        route(
            APIPath.downloads,
            [first, refused, refused, first, refused]
                + [first, second, first, second, first, second]
        )
        expectError(.notAllowed, try await run("add", "-i", "list", "-d", "x"))
        let entry = try user.home.readText(file)
        #expect(entry.contains(try #require(sentKeys[0])))
        expectFailure(.notAllowed, try await run("add", "-i", "other", "-d", "x"))
        expectError(.notAllowed, try await run("add", "-i", "list", "-d", "x"))
        // The entry has the time of the first request, after which the daemon forgets the key.
        #expect(try user.home.readText(file).contains(entry))
        for list in ["list", "list", "other"] {
            let again = try await run("add", "-i", list, "-d", "x")
            #expect(again.status == .code(0), "\(again.errors)")
            #expect(again.output == String(repeating: "1\ta\n", count: 500))
            let entries = user.home.exists(file) ? try user.home.readText(file) : ""
            #expect(!entries.contains(entry))
        }
        #expect(!user.home.exists(file))
        let keys = sentKeys
        #expect(keys.count == 11)
        #expect(keys[3..<5] == keys[..<2])
        #expect(keys[5..<7] == keys[..<2])
        // The first request for the other list may have added its downloads, too.
        #expect(keys[9] == keys[2])
        #expect(Set(keys).count == 6)
    }

    @Test
    func `what one token has left of a list is not that of another one`() async throws {
        try user.workshop.folder.write("list", longList.joined(separator: "\n"))
        let other = try user.home.write("other-token", "pawl_other\n")
        try user.home.setPermissions("other-token", 0o600)
        let (first, second) = (try added(300), try added(200))
        route(APIPath.downloads, [first, try refusal(), first, second, first, second])
        expectError(.notAllowed, try await run("add", "-i", "list", "-d", "x"))
        for file in [other, tokenFile] {
            let choice = ["--daemon", origin.url("/base"), "--daemon-token-file", file]
            let arguments = choice + ["add", "-i", "list", "-d", "x"]
            let run = try await user.workshop.run(arguments, user.settings)
            #expect(run.status == .code(0), "\(run.errors)")
        }
        let keys = sentKeys
        #expect(keys.count == 6)
        #expect(keys[4...] == keys[..<2])
        #expect(Set(keys).count == 4)
        #expect(!user.home.exists("state/pawl/unfinished-lists"))
    }

    @Test
    func `the browser extension receives the IDs of what was added before a request failed`()
        async throws
    {
        // The message is just short enough for the host, and its downloads are too long for one
        // request to the daemon.
        let url = "http://127.0.0.1:1/" + String(repeating: "x", count: 4_098)
        let download = #"{"url":"\#(url)","userAgent":"U","cookies":"a=b"}"#
        let downloads = Array(repeating: download, count: 250).joined(separator: ",")
        let message = Array(#"{"version":1,"add":[\#(downloads)]}"#.utf8)
        route(APIPath.downloads, [try added(248), try refusal()])
        var settings = user.settings
        settings.input = withUnsafeBytes(of: UInt32(message.count)) { Array($0) } + message
        settings.environment["PAWL_CONFIG"] = .some(nil)
        settings.environment["PAWL_DAEMON"] = origin.url("/base")
        settings.environment["PAWL_DAEMON_TOKEN_FILE"] = tokenFile
        let host = ["native-host", "run", "--"]
        let caller = "chrome-extension://odbjaenahpejckehdnennpcngmflbamd/"
        let run = try await user.workshop.run(host + [caller], settings)
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(count(APIPath.downloads) == 2)
        #expect(run.output.components(separatedBy: #"{"id":1,"name":"a"}"#).count == 249)
        #expect(run.output.contains(#""title":"no more room""#), "\(run.output.suffix(300))")
    }

    @Test func `the variable that reads the token from standard input reserves it`() async throws {
        route(APIPath.downloads, [try answer(WireDownloadPage(downloads: []))])
        var settings = user.settings
        settings.input = Array("pawl_example\n".utf8)
        settings.environment["PAWL_CONFIG"] = .some(nil)
        settings.environment["PAWL_DAEMON"] = origin.url("/base")
        settings.environment["PAWL_DAEMON_TOKEN_FILE"] = "-"
        let list = try await user.workshop.run(["list"], settings)
        #expect(list.status == .code(0), "\(list.errors)")
        let request = try #require(origin.requests(to: "/base" + APIPath.downloads).first)
        #expect(request["Authorization"] == "Bearer pawl_example")
        for arguments in [
            ["add", "-i", "-"], ["import", "-"], ["get", "--background", "-i", "-"],
        ] {
            let run = try await user.workshop.run(arguments, settings)
            expectFailure(.usage, run)
            #expect(run.errors.contains("standard input was already read"), "\(run.errors)")
            #expect(!run.everything.contains("pawl_example"), "\(arguments)")
        }
        // Without a daemon, standard input is free.
        settings.input = Array("\(origin.url("/file"))\n".utf8)
        origin.route("/file", .status(200, body: "x"))
        let run = try await user.workshop.run(["-i", "-"], settings)
        #expect(run.status == .code(0), "\(run.errors)")
    }
}
