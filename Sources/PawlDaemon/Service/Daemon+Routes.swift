internal import HTTPTypes
internal import Hummingbird
internal import Pawl
package import PawlCore

extension Daemon {
    /// All that its API can be asked, as `GET /v1/downloads/{id}`: what the document must tell of.
    ///
    /// Opens the store, and runs nothing.
    package func routes() async throws(DownloadError) -> Set<String> {
        try places.prepare()
        let keeper = try await loadedKeeper(mayBeDamaged: false)
        let api = api(keeper)
        try keeper.store.close()
        // The page's files are no part of the API.
        let routes = api.router().routes.filter { route in
            let path = route.path.description
            return path != "/" && !path.hasPrefix("/assets/")
        }
        return Set(routes.map { "\($0.method.rawValue) \($0.path)" })
    }
}
