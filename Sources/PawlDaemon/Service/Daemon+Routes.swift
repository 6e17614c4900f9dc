internal import HTTPTypes
internal import Hummingbird
internal import Pawl
package import PawlCore

extension Daemon {
    /// Returns the routes of the API, such as `GET /v1/downloads/{id}`, which the document must describe.
    ///
    /// It opens the store, and runs nothing.
    package func routes() async throws(DownloadError) -> Set<String> {
        try places.prepare()
        let queue = try await loadedQueue(mayBeDamaged: false)
        let api = api(queue)
        try queue.store.close()
        // The files of the page are not part of the API.
        let routes = api.router().routes.filter { route in
            let path = route.path.description
            return path != "/" && !path.hasPrefix("/assets/")
        }
        return Set(routes.map { "\($0.method.rawValue) \($0.path)" })
    }
}
