internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import PawlCore
internal import PawlWire

/// Answers requests for the stream of events.
struct EventStreamHandler: Sendable {
    let queue: DaemonQueue
    let attachments: SessionAttachments

    func respond(to request: Request, _ context: APIContext) async throws -> Response {
        let query = try AttachQuery(parameters: try request.parameters)
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
        let acknowledged = try await queue.store.read { try $0.sessions.acknowledged(session) }
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

    private func feed(_ after: Int64?, of session: String?, _ end: StreamEnd) -> StoredEventFeed {
        StoredEventFeed(
            store: queue.store,
            notifier: queue.notifier,
            after: after,
            session: session,
            end: end
        )
    }

    private func lastSeen(_ request: Request) throws(DownloadError) -> Int64? {
        guard let name = HTTPField.Name(APIPath.lastEvent), let text = request.headers[name] else {
            return nil
        }
        guard let id = Int64(text), id >= 0 else {
            throw .usage(
                "'\(APIPath.lastEvent)' is not the ID of an event",
                advice: "give the ID of the last event received"
            )
        }
        return id
    }

    private static let fields: HTTPFields = [
        .contentType: ServerSentEvent.mediaType, .cacheControl: "no-store",
    ]

    private func stream(
        _ request: Request,
        _ feed: StoredEventFeed,
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
