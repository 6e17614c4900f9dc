internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import PawlCore
internal import PawlWire

/// The HTTP API (docs/daemon.md): the handlers of its routes, and the middleware that runs before
/// them.
struct DaemonAPI: Sendable {
    let queue: DaemonQueue
    let attachments: SessionAttachments
    let downloads: DownloadHandlers
    let imports: ImportHandlers
    let sessions: SessionHandlers
    let feeds: FeedHandlers
    let events: EventStreamHandler
    let login: LoginHandlers
    let tokens: TokenHandlers
    let status: StatusHandlers
    let fleet: FleetHandlers
    let audit: AuditHandlers

    init(
        queue: DaemonQueue,
        attachments: SessionAttachments,
        feedRunner: FeedRunner,
        about: DaemonStatus,
        paths: DaemonPaths
    ) {
        self.queue = queue
        self.attachments = attachments
        downloads = DownloadHandlers(queue: queue)
        imports = ImportHandlers(queue: queue)
        sessions = SessionHandlers(queue: queue, attachments: attachments)
        feeds = FeedHandlers(queue: queue, runner: feedRunner)
        events = EventStreamHandler(queue: queue, attachments: attachments)
        login = LoginHandlers(queue: queue)
        tokens = TokenHandlers(queue: queue, paths: paths)
        let reading = FleetReading(queue: queue, about: about)
        status = StatusHandlers(queue: queue, about: about, fleet: reading)
        fleet = FleetHandlers(queue: queue, reading: reading)
        audit = AuditHandlers(paths, queue.session)
    }

    func router() -> Router<APIContext> {
        // HEAD is answered like GET (RFC 9110 §9.3.2); `SocketServer` omits the body.
        let router = Router(context: APIContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: RequestCounting(counters: queue.counters))
        router.add(middleware: ProtocolField())
        router.add(middleware: ProblemMiddleware())
        router.add(middleware: AccessCheck())
        router.add(middleware: RequestForm())
        for route in APIRoute.all + APIRoute.page {
            router.on(RouterPath(route.path), method: route.method) { request, context in
                try await route.respond(self, request, context)
            }
        }
        return router
    }
}

extension Request {
    /// Decodes the parameters of the query.
    ///
    /// Throws `.usage` if they are not valid.
    var parameters: [(name: String, value: String)] {
        get throws(DownloadError) { try QueryText.parameters(uri.query ?? "") }
    }
}

extension PageQuery {
    init(_ request: Request) throws(DownloadError) {
        try self.init(parameters: try request.parameters)
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
