internal import Hummingbird
internal import Pawl
internal import PawlCore
internal import PawlWire

/// What is only asked for while somebody looks at one download.
extension DaemonAPI {
    private static let mostEvents = 200

    func addDetails(to router: Router<APIContext>) {
        router.get("/v1/downloads/{id}/segments") { _, context in
            try Response.json(try await segments(of: try await download(context)))
        }
        router.get("/v1/downloads/{id}/events") { _, context in
            // Those of a removed one are kept, too.
            let id = try identifier(context)
            let events = try await store.read {
                try $0.events(ofDownload: id, limit: Self.mostEvents)
            }
            // It may be there without any: old ones go.
            if events.isEmpty { _ = try await download(context) }
            return try Response.json(WireEvents(events))
        }
    }

    private func segments(of download: WireDownload) async throws -> WireSegments {
        if let segments = keeper.live.segments(of: download) { return segments }
        guard let path = download.path, !download.state.isEnd || download.state == .failed else {
            return WireSegments(download)
        }
        let root = try await store.read { try $0.root(of: download.id) }
        // A folder that leads elsewhere has nothing of it.
        let place = root.flatMap {
            try? ConfinedFolder(PathNames.folder(of: path), in: $0, creates: false)
        }
        guard root == nil || place != nil else { return WireSegments(download) }
        let written = await keeper.session.writtenRanges(ofFile: place?.inside(path) ?? path)
        withExtendedLifetime(place) {}
        return WireSegments(download, written: written)
    }
}
