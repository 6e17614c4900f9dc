internal import HTTPTypes
internal import Hummingbird
internal import Pawl
internal import PawlCore
internal import PawlWire

/// Answers requests for downloads.
struct DownloadHandlers: Sendable {
    let queue: DaemonQueue

    /// The maximum number of bytes of a body that adds downloads, at the socket.
    private static let mostBytesToAdd = 64 << 20
    /// The number of events of one download if the request has no limit.
    private static let usualEvents = 200

    // MARK: - Reading

    func list(_ request: Request) async throws -> Response {
        let query = try ListQuery(parameters: try request.parameters)
        var page = try await queue.store.read { try $0.search.list(query) }
        page.downloads = queue.running.overlay(page.downloads)
        return try Response.json(page)
    }

    func show(_ context: APIContext) async throws -> Response {
        try Response.json(queue.running.overlay([try await download(context)])[0])
    }

    /// Returns the events of one download, which are kept even after it is removed.
    func events(_ request: Request, _ context: APIContext) async throws -> Response {
        let id = try identifier(context)
        let query = try PageQuery(
            parameters: try request.parameters,
            cursor: "before",
            limit: Self.usualEvents
        )
        let before: Int64? = try query.cursor.map { (text) throws(DownloadError) in
            try QueryText.number("before", text, in: 0...Int64.max)
        }
        let events = try await queue.store.read {
            try $0.events.list(ofDownload: id, before: before, limit: query.limit)
        }
        // The download may exist without events: old ones are deleted.
        if events.events.isEmpty { _ = try await download(context) }
        return try Response.json(events)
    }

    func segments(_ context: APIContext) async throws -> Response {
        try Response.json(try await segments(of: try await download(context)))
    }

    /// Returns the written ranges of a download, from its run or from its files.
    func segments(of download: WireDownload) async throws -> WireSegments {
        if let segments = queue.running.segments(of: download) { return segments }
        guard let path = download.path, !ObjectAddress.isOne(path),
            !download.state.isEnd || download.state == .failed
        else {
            return WireSegments(download)
        }
        let root = try await queue.store.read { try $0.requests.confiningFolder(of: download.id) }
        // A folder that leads elsewhere does not contain its file.
        let folder = root.flatMap {
            try? ConfinedFolder(path.pathFolder, in: $0, creates: false)
        }
        guard root == nil || folder != nil else { return WireSegments(download) }
        let written = await queue.session.leftovers.writtenRanges(
            ofFile: folder?.inside(path) ?? path
        )
        withExtendedLifetime(folder) {}
        return WireSegments(download, written: written)
    }

    func resumeData(_ context: APIContext) async throws -> Response {
        let data = try await queue.resumeData(of: identifier(context), by: context.authority)
        return try Response.json(WireResumeData(data?.data))
    }

    func requests(_ request: Request, _ context: APIContext) async throws -> Response {
        let query = try ListQuery(parameters: try request.parameters)
        return try Response.json(try await queue.requests(query, by: context.authority))
    }

    func errorResponse(_ context: APIContext) async throws -> Response {
        let response = try await queue.errorResponse(
            of: identifier(context),
            by: context.authority
        )
        return try Response.json(WireRefusal(response))
    }

    /// Returns the stored download that the path names.
    private func download(_ context: APIContext) async throws -> WireDownload {
        let id = try identifier(context)
        guard let download = try await queue.store.read({ try $0.downloads.find(id) }) else {
            throw DownloadError.noDownload(id)
        }
        return download
    }

    private func identifier(_ context: APIContext) throws(DownloadError) -> Int64 {
        guard let text = context.parameters.get("id"), let id = Int64(text) else {
            throw .usage("the ID is not a number", advice: "see 'pawl list'")
        }
        return id
    }

    // MARK: - Changing

    func add(_ request: Request, _ context: APIContext) async throws -> Response {
        // A body over TCP has a smaller limit, because it is read before it is checked.
        let most = context.authority == .user ? Self.mostBytesToAdd : RequestBody.mostBytes
        let new: NewDownloads = try await RequestBody.read(request, upTo: most)
        let outcome = try await queue.add(
            new.downloads,
            key: try request.idempotencyKey,
            by: context.authority
        )
        return try Response.json(context.changed.adding(outcome), status: .created)
    }

    func act(_ request: Request, _ context: APIContext) async throws -> Response {
        let word = context.parameters.get("action") ?? ""
        guard let action = QueueAction(rawValue: word) else {
            throw DownloadError(
                .notFound,
                "there is no action '\(word.sanitized(atMost: 40))'",
                advice:
                    "use one of \(QueueAction.allCases.map(\.rawValue).joined(separator: ", "))"
            )
        }
        let selection: Selection = try await RequestBody.read(request)
        let outcome = try await queue.act(action, on: selection, by: context.authority)
        return try Response.json(context.changed.adding(outcome))
    }

    /// Removes a label; succeeds even if there is no such label.
    func removeLabel(_ request: Request, _ context: APIContext) async throws -> Response {
        guard let name = try request.parameters.last(where: { $0.name == "label" })?.value else {
            throw DownloadError.usage("'label' is missing")
        }
        try await queue.removeLabel(name, by: context.authority)
        return Response(status: .noContent)
    }

    func change(_ request: Request, _ context: APIContext) async throws -> Response {
        let asked: SelectedChanges = try await RequestBody.read(request)
        let outcome = try await queue.change(
            asked.selection,
            asked.changes,
            by: context.authority
        )
        return try Response.json(context.changed.adding(outcome))
    }
}

extension Request {
    /// The key of a request that is carried out once; `nil` if it has none.
    var idempotencyKey: String? {
        get throws(DownloadError) {
            guard let name = HTTPField.Name(APIPath.idempotencyKey), let key = headers[name] else {
                return nil
            }
            guard (1...256).contains(key.utf8.count) else {
                throw .usage("an idempotency key must have 1 to 256 bytes")
            }
            return key
        }
    }
}
