internal import FoundationEssentials
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOCore
internal import Pawl
internal import PawlCore
internal import PawlWire
internal import Synchronization

/// The routes of the HTTP API (docs/daemon.md).
struct DaemonAPI: Sendable {
    let queue: DaemonQueue
    let store: DaemonStore
    let attachments: SessionAttachments
    let about: DaemonStatus

    /// The maximum number of bytes of a body that adds downloads, at the socket.
    private static let mostBytesToAdd = 64 << 20
    static let mostBytes = 1 << 20

    func router() -> Router<APIContext> {
        // HEAD is answered like GET (RFC 9110 §9.3.2); `SocketServer` omits the body.
        let router = Router(context: APIContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: RequestCounting(counters: queue.counters))
        router.add(middleware: ProtocolField())
        router.add(middleware: ProblemMiddleware())
        router.add(middleware: AccessCheck())
        router.add(middleware: RequestForm())
        router.get("/v1/status") { _, _ in try await status() }
        router.get("/v1/downloads") { request, _ in try await list(request) }
        router.post("/v1/downloads") { request, context in try await add(request, context) }
        router.get("/v1/downloads/{id}") { _, context in try await show(context) }
        router.post("/v1/actions/{action}") { request, context in
            try await act(request, context)
        }
        router.post("/v1/changes") { request, context in try await change(request, context) }
        router.get("/v1/events") { request, context in try await events(request, context) }
        addSessions(to: router)
        addSettings(to: router)
        addLogin(to: router)
        addNumbers(to: router)
        addDetails(to: router)
        addPage(to: router)
        return router
    }

    // MARK: - Reading

    private func status() async throws -> Response {
        var status = about
        status.counts = try await store.read { try $0.downloads.counts() }
        status.bytesPerSecond = queue.running.bytesPerSecond
        status.lastEvent = queue.notifier.last
        status.url = queue.listener.socket?.address.url
        status.listenProblem = queue.listener.problem
        status.maximumConcurrentDownloads = queue.counters.values.maximumConcurrentDownloads
        return try Response.json(status)
    }

    private func list(_ request: Request) async throws -> Response {
        let query = try ListQuery(parameters: try parameters(of: request))
        var page = try await store.read { try $0.search.list(query) }
        page.downloads = queue.running.overlay(page.downloads)
        return try Response.json(page)
    }

    private func show(_ context: APIContext) async throws -> Response {
        try Response.json(queue.running.overlay([try await download(context)])[0])
    }

    /// Returns the stored download that the path names.
    func download(_ context: APIContext) async throws -> WireDownload {
        let id = try identifier(context)
        guard let download = try await store.read({ try $0.downloads.find(id) }) else {
            throw DownloadError.noDownload(id)
        }
        return download
    }

    func identifier(_ context: APIContext) throws(DownloadError) -> Int64 {
        guard let text = context.parameters.get("id"), let id = Int64(text) else {
            throw DownloadError(.usage, "the id is not a number", advice: "see pawl list")
        }
        return id
    }

    func parameters(of request: Request) throws(DownloadError) -> [(name: String, value: String)] {
        try QueryText.parameters(request.uri.query ?? "")
    }

    // MARK: - Changing

    private func add(_ request: Request, _ context: APIContext) async throws -> Response {
        // A body over TCP has a smaller limit, because it is read before it is checked.
        let most = context.authority == .user ? Self.mostBytesToAdd : Self.mostBytes
        let new: NewDownloads = try await body(request, "NewDownloads", upTo: most)
        var key: String?
        if let name = HTTPField.Name(APIPath.idempotencyKey) { key = request.headers[name] }
        guard (key?.utf8.count ?? 1) <= 256, key != "" else {
            throw DownloadError(.usage, "an idempotency key must have 1 to 256 bytes")
        }
        return try Response.json(
            try await queue.add(new.downloads, key: key, by: context.authority),
            status: .created
        )
    }

    private func act(_ request: Request, _ context: APIContext) async throws -> Response {
        let word = context.parameters.get("action") ?? ""
        guard let action = QueueAction(rawValue: word) else {
            throw DownloadError(
                .notFound,
                "there is no action '\(word.sanitized(atMost: 40))'",
                advice: "use one of "
                    + QueueAction.allCases.map(\.rawValue).joined(separator: ", ")
            )
        }
        let selection: Selection = try await body(request, "Selection")
        return try Response.json(
            try await queue.act(action, on: selection, by: context.authority)
        )
    }

    private func change(_ request: Request, _ context: APIContext) async throws -> Response {
        let asked: SelectedChanges = try await body(request, "SelectedChanges")
        return try Response.json(
            try await queue.change(asked.selection, asked.changes, by: context.authority)
        )
    }

    /// Reads and checks the body of a request.
    ///
    /// `name`: the name of its schema in the document.
    func body<Value: Decodable>(
        _ request: Request,
        _ name: String,
        upTo limit: Int = mostBytes
    ) async throws -> Value {
        guard RequestGuard.isJSON(request.headers[.contentType]) else {
            throw APIFailure(
                .unsupportedMediaType,
                DownloadError(
                    .usage,
                    "the body is not declared as application/json",
                    advice: RequestGuard.whatIsJSON
                )
            )
        }
        let buffer: ByteBuffer
        do {
            buffer = try await request.body.collect(upTo: limit)
        } catch is NIOTooManyBytesError {
            throw DownloadError(
                .tooLarge,
                "the body has more than \(limit) bytes",
                advice: "send several requests"
            )
        }
        guard JSONNesting.isAllowed(buffer.readableBytesView) else {
            throw DownloadError(
                .usage,
                "the body: lists and objects are nested too deeply",
                advice: "use at most \(JSONNesting.most) levels"
            )
        }
        let value: Value
        do throws(DownloadError) {
            value = try WireJSON.decode(Value.self, from: buffer.readableBytesView)
        } catch {
            throw DownloadError(
                .usage,
                "the body: \(error.message)",
                advice: "see /openapi.json, or docs/http-api.md"
            )
        }
        if let stranger = MemberScan.stranger(in: buffer.readableBytesView, .named(name)) {
            throw DownloadError(
                .usage,
                "the body: unknown member '\(stranger.path.joined(separator: ".").sanitized(atMost: 100))'",
                advice: "use \(stranger.known.joined(separator: ", "))"
            )
        }
        return value
    }
}

extension Response {
    static func json(
        _ value: some Encodable,
        status: HTTPResponse.Status = .ok,
        type: String = "application/json"
    ) throws(DownloadError) -> Response {
        let buffer = ByteBuffer(bytes: try WireJSON.encode(value))
        return Response(
            status: status,
            headers: [.contentType: type],
            body: ResponseBody(byteBuffer: buffer)
        )
    }
}
