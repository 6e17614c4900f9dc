internal import struct FoundationEssentials.URL
internal import PawlCore
internal import PawlEngine
internal import PawlStorage

/// A request that waits for the network if the settings require that.
///
/// The request is tried. If it fails because there is no route, it waits for one and is tried
/// again, unless there was a response, like a download. A metered network that must not be used is
/// waited for in advance.
struct ConnectedRequest {
    let url: URL
    let settings: DownloadSettings
    /// The control, which also ends the wait.
    let control: StreamControl
    let engine: Engine
    /// Called with `true` when the request begins to wait, and with `false` when it resumes.
    let changed: (Bool) -> Void

    private var host: String { url.host() ?? "" }

    func run<Value>(
        unless hasResponded: @autoclosure () -> Bool,
        _ attempt: () async throws(DownloadError) -> Value
    ) async throws(DownloadError) -> Value {
        let (paths, asksWhetherMetered) = (control.paths, !settings.allowsExpensiveNetwork)
        guard settings.waitsForConnectivity || asksWhetherMetered else {
            return try await attempt()
        }
        let observation = engine.network.observe(asksWhetherMetered: asksWhetherMetered) {
            paths.post($0)
        }
        defer { observation.end() }
        var path: NetworkPath?
        while true {
            if asksWhetherMetered {
                path = await wait(path) { $0.isMetered == true && $0.isRemote(host) }
            }
            do throws(DownloadError) {
                return try await attempt()
            } catch {
                guard settings.waitsForConnectivity, !hasResponded(), error.mayPass else {
                    throw error
                }
                let network = engine.network
                let found = try await engine.disk.run { () throws(DownloadError) in
                    network.current()
                }
                guard !found.reaches(host) else { throw error }
                path = await wait(found) { !$0.reaches(host) }
            }
        }
    }

    /// Waits while the network is in the given state; without a path, until the first one is
    /// reported.
    ///
    /// Returns the newest path, which is reported only once.
    private func wait(
        _ path: NetworkPath?,
        while isObstacle: (NetworkPath) -> Bool
    ) async -> NetworkPath? {
        var path = path
        var isWaiting = false
        while !control.isStopped {
            path = control.paths.take().last ?? path
            if let path {
                guard isObstacle(path) else { break }
                if !isWaiting {
                    isWaiting = true
                    changed(true)
                }
            }
            await control.paths.waitIgnoringCancellation()
        }
        if isWaiting { changed(false) }
        return path
    }
}

extension DownloadError {
    /// Whether the failure may be caused by the network.
    fileprivate var mayPass: Bool { code != .interrupted && retryClass != .never }
}
