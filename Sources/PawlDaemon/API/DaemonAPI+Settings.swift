internal import Hummingbird
internal import PawlCore
internal import PawlWire

/// The settings of the whole queue.
extension DaemonAPI {
    func addSettings(to router: Router<APIContext>) {
        router.get("/v1/settings") { _, _ in
            try Response.json(await queue.shownSettings)
        }
        router.patch("/v1/settings") { request, context in
            let change: DaemonSettingsChange = try await body(request, "SettingsChange")
            return try Response.json(try await queue.change(change, by: context.authority))
        }
    }
}
