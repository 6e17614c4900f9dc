internal import Hummingbird
internal import PawlCore
internal import PawlWire

/// Answers requests for feeds.
struct FeedHandlers: Sendable {
    let queue: DaemonQueue
    let runner: FeedRunner

    func list() async throws -> Response {
        let list = try await queue.store.read { try $0.feeds.list() }
        let feeds = list.feeds.map { WireFeed($0) } + list.unreadable.map { WireFeed($0) }
        return try Response.json(
            WireFeeds(feeds.sorted { ExactText($0.name) < ExactText($1.name) })
        )
    }

    func add(_ request: Request, _ context: APIContext) async throws -> Response {
        let new: NewFeed = try await RequestBody.read(request)
        return try Response.json(
            try await queue.addFeed(
                new,
                key: try request.idempotencyKey,
                by: context.authority
            ),
            status: .created
        )
    }

    func change(_ request: Request, _ context: APIContext) async throws -> Response {
        let changes: FeedChanges = try await RequestBody.read(request)
        return try Response.json(
            try await queue.changeFeed(identifier(context), changes, by: context.authority)
        )
    }

    func remove(_ context: APIContext) async throws -> Response {
        try await queue.removeFeed(identifier(context), by: context.authority)
        return Response(status: .noContent)
    }

    /// Checks a feed, and answers when that is done, even if the feed cannot be read.
    func check(_ context: APIContext) async throws -> Response {
        try Response.json(try await runner.check(identifier(context), by: context.authority))
    }

    private func identifier(_ context: APIContext) throws(DownloadError) -> Int64 {
        guard let text = context.parameters.get("id"), let id = Int64(text) else {
            throw .usage("the ID is not a number", advice: "see 'pawl feed list --json'")
        }
        return id
    }
}
