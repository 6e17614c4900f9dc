internal import Hummingbird
internal import Pawl
internal import PawlCore
internal import PawlWire

/// Answers requests for the tokens of programs.
struct TokenHandlers: Sendable {
    let queue: DaemonQueue
    let tokens: any TokenPlace

    init(queue: DaemonQueue, paths: DaemonPaths) {
        self.queue = queue
        tokens = queue.listener.shared ?? FileTokens(paths)
    }

    func list() async throws -> Response {
        let tokens = tokens
        let all = try await queue.waiting { () throws(DownloadError) in try tokens.list() }
        return try Response.json(WireTokens(all))
    }

    /// Creates a token, or returns the main token.
    func make(_ request: Request) async throws -> Response {
        let new: NewToken = try await RequestBody.read(request)
        try new.check()
        let tokens = tokens
        let token = try await queue.waiting { () throws(DownloadError) in
            guard let scope = new.scope else {
                return try tokens.main(replacing: new.replaces == true)
            }
            return try tokens.add(new.name, scope)
        }
        return try Response.json(WireSecret(token: token))
    }

    func revoke(_ request: Request) async throws -> Response {
        guard let name = try request.parameters.last(where: { $0.name == "token" })?.value else {
            throw DownloadError.usage("'token' is missing")
        }
        let tokens = tokens
        try await queue.waiting { () throws(DownloadError) in try tokens.revoke(name) }
        return Response(status: .noContent)
    }
}
