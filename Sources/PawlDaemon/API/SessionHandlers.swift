internal import HTTPTypes
internal import Hummingbird
internal import PawlCore
internal import PawlWire

/// Answers requests for sessions.
struct SessionHandlers: Sendable {
    let queue: DaemonQueue
    let attachments: SessionAttachments

    func list(_ request: Request) async throws -> Response {
        let query = try PageQuery(request)
        var page = try await queue.store.read { try $0.sessions.list(query) }
        for index in page.sessions.indices {
            page.sessions[index].process = attachments.owner(of: page.sessions[index].identifier)
        }
        return try Response.json(page)
    }

    func register(_ request: Request, _ context: APIContext) async throws -> Response {
        let registration: SessionRegistration = try await RequestBody.read(request)
        return try Response.json(try await queue.register(registration, by: context.authority))
    }

    func acknowledge(_ request: Request, _ context: APIContext) async throws -> Response {
        let acknowledgement: Acknowledgement = try await RequestBody.read(request)
        try await queue.acknowledge(acknowledgement, by: context.authority)
        return Response(status: .noContent)
    }

    /// Forgets a session, whose downloads continue without it.
    func forget(_ request: Request, _ context: APIContext) async throws -> Response {
        guard let query = try AttachQuery(parameters: try request.parameters) else {
            throw DownloadError.usage("'session' is missing")
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
}
