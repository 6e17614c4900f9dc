internal import PawlCore
internal import PawlEngine

/// A data task that waits for the network.
extension DataTask {
    func fetchConnected(_ place: StartPlace) async throws(DownloadError) -> TaskProduct {
        let request = ConnectedRequest(
            url: originalRequest.url,
            settings: originalRequest.settings(in: session.configuration),
            control: control,
            engine: engine
        ) { isWaiting in
            self.connectivityChanged(isWaiting, place)
        }
        return try await request.run(unless: response != nil) {
            () async throws(DownloadError) in try await fetch(place)
        }
    }
}
