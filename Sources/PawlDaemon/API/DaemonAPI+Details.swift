internal import Hummingbird
internal import PawlCore
internal import PawlWire

/// What is only asked for while somebody looks at one download.
extension DaemonAPI {
    private static let mostEvents = 200

    func addDetails(to router: Router<APIContext>) {
        router.get("/v1/downloads/{id}/segments") { _, context in
            try Response.json(keeper.live.segments(of: try await download(context)))
        }
        router.get("/v1/downloads/{id}/events") { _, context in
            // Those of a removed one are kept, too.
            let id = try identifier(context)
            let events = try await store.read {
                try $0.events(ofDownload: id, limit: Self.mostEvents)
            }
            return try Response.json(WireEvents(events))
        }
    }
}
