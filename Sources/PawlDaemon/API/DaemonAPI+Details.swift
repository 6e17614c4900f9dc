internal import Hummingbird
internal import Pawl
internal import PawlCore
internal import PawlWire

/// The details of one download.
extension DaemonAPI {
    /// The number of events of one download if the request has no limit.
    private static let usualEvents = 200

    func addDetails(to router: Router<APIContext>) {
        router.get("/v1/downloads/{id}/segments") { _, context in
            try Response.json(try await segments(of: try await download(context)))
        }
        router.get("/v1/downloads/{id}/events") { request, context in
            try Response.json(try await events(of: identifier(context), request, context))
        }
    }

    /// Returns the events of one download, which are kept even after it is removed.
    private func events(
        of id: Int64,
        _ request: Request,
        _ context: APIContext
    ) async throws -> WireEvents {
        let query = try PageQuery(
            parameters: try parameters(of: request),
            cursor: "before",
            limit: Self.usualEvents
        )
        let before: Int64? = try query.cursor.map { (text) throws(DownloadError) in
            try QueryText.number("before", text, in: 0...Int64.max)
        }
        let events = try await store.read {
            try $0.events.list(ofDownload: id, before: before, limit: query.limit)
        }
        // The download may exist without events: old ones are deleted.
        if events.events.isEmpty { _ = try await download(context) }
        return events
    }

    private func segments(of download: WireDownload) async throws -> WireSegments {
        if let segments = queue.running.segments(of: download) { return segments }
        guard let path = download.path, !download.state.isEnd || download.state == .failed else {
            return WireSegments(download)
        }
        let root = try await store.read { try $0.requests.confiningFolder(of: download.id) }
        // A folder that leads to another place does not contain its file.
        let place = root.flatMap {
            try? ConfinedFolder(PathNames.folder(of: path), in: $0, creates: false)
        }
        guard root == nil || place != nil else { return WireSegments(download) }
        let written = await queue.session.writtenRanges(ofFile: place?.inside(path) ?? path)
        withExtendedLifetime(place) {}
        return WireSegments(download, written: written)
    }
}
