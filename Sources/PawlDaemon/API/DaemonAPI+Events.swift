internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import PawlCore
internal import PawlWire

/// Sessions and the streams of events.
extension DaemonAPI {
    func addSessions(to router: Router<APIContext>) {
        router.get("/v1/sessions") { request, _ in try await sessions(request) }
        router.post("/v1/sessions") { request, context in
            let registration: SessionRegistration = try await body(request, "SessionRegistration")
            return try Response.json(
                try await queue.register(registration, by: context.authority)
            )
        }
        router.delete("/v1/sessions") { request, context in try await forget(request, context) }
        router.post("/v1/acknowledgements") { request, context in
            let acknowledgement: Acknowledgement = try await body(request, "Acknowledgement")
            try await queue.acknowledge(acknowledgement, by: context.authority)
            return Response(status: .noContent)
        }
        router.get("/v1/downloads/{id}/resume-data") { _, context in
            let data = try await queue.resumeData(
                of: identifier(context),
                by: context.authority
            )
            return try Response.json(WireResumeData(data?.data))
        }
    }

    private func sessions(_ request: Request) async throws -> Response {
        let query = try PageQuery(parameters: try parameters(of: request))
        var page = try await store.read { try $0.sessions.list(query) }
        for index in page.sessions.indices {
            page.sessions[index].process = attachments.owner(of: page.sessions[index].identifier)
        }
        return try Response.json(page)
    }

    /// Forgets a session, whose downloads continue without it.
    private func forget(_ request: Request, _ context: APIContext) async throws -> Response {
        guard let query = try AttachQuery(parameters: try parameters(of: request)) else {
            throw DownloadError(.usage, "'session' is missing")
        }
        try await queue.checkSession(query.session, .forgetSession, by: context.authority)
        if let process = attachments.owner(of: query.session) {
            throw Conflict.error(
                "the session '\(query.session.sanitized)' is attached to process \(process)",
                advice: "end that process first"
            )
        }
        // No process can attach meanwhile.
        let attachment = try await attachments.reserve(query.session)
        defer { attachment.end() }
        try await queue.forgetSession(query.session, by: context.authority)
        return Response(status: .noContent)
    }

    // MARK: - Events

    func events(_ request: Request, _ context: APIContext) async throws -> Response {
        let query = try AttachQuery(parameters: try parameters(of: request))
        var after = try lastSeen(request)
        // A HEAD request reads no events, so it attaches no process.
        guard request.method != .head else { return Response(status: .ok, headers: Self.fields) }
        let end = StreamEnd(mayContinue: context.mayContinue)
        guard let query else { return stream(request, feed(after, of: nil, end), nil) }
        let session = query.session
        var attachment: Attachment?
        if let process = query.process {
            try await queue.checkSession(session, .useSession, by: context.authority)
            let takesOver = query.takesOver
            attachment = try await attachments.attach(
                session,
                process: process,
                takesOver: takesOver,
                end
            )
        }
        // The previous owner has acknowledged by now all events that it received.
        let acknowledged = try await store.read { try $0.sessions.acknowledged(session) }
        if let acknowledged { after = max(after ?? 0, acknowledged) }
        guard attachment == nil || acknowledged != nil else {
            throw DownloadError(
                .notFound,
                "the session '\(session.sanitized)' is not registered",
                advice: "register it first"
            )
        }
        return stream(request, feed(after, of: session, end), attachment)
    }

    private func feed(_ after: Int64?, of session: String?, _ end: StreamEnd) -> EventFeed {
        EventFeed(store: store, notifier: queue.notifier, after: after, session: session, end: end)
    }

    private func lastSeen(_ request: Request) throws(DownloadError) -> Int64? {
        guard let name = HTTPField.Name(APIPath.lastEvent), let text = request.headers[name] else {
            return nil
        }
        guard let id = Int64(text), id >= 0 else {
            throw DownloadError(
                .usage,
                "'\(APIPath.lastEvent)' is not the id of an event",
                advice: "give the id of the last event received"
            )
        }
        return id
    }

    private static let fields: HTTPFields = [
        .contentType: ServerSentEvent.mediaType, .cacheControl: "no-store",
    ]

    private func stream(
        _ request: Request,
        _ feed: EventFeed,
        _ attachment: Attachment?
    ) -> Response {
        Response(
            status: .ok,
            headers: Self.fields,
            body: ResponseBody { writer in
                defer { attachment?.end() }
                try await request.body.consumeWithInboundCloseHandler { _ in
                    try await feed.write { try await writer.write(ByteBuffer(bytes: $0)) }
                } onInboundClosed: {
                    feed.end.end(.closed)
                }
                try await writer.finish(nil)
            }
        )
    }
}
