internal import struct FoundationEssentials.URL
internal import PawlCore
internal import PawlEngine
internal import PawlStorage

/// A data task that waits for the network.
extension DataTask {
    /// Tries, and where there is no route waits for one and tries again, unless there was an answer.
    ///
    /// As a download does; a metered network that must not be used is waited for before.
    func fetchConnected() async throws(DownloadError) -> TaskProduct {
        let settings = originalRequest.settings(in: session.configuration)
        let asksWhetherMetered = !settings.allowsExpensiveNetwork
        guard settings.waitsForConnectivity || asksWhetherMetered else { return try await fetch() }
        let (paths, host) = (control.paths, originalRequest.url.host() ?? "")
        let observation = engine.network.observe(asksWhetherMetered: asksWhetherMetered) {
            paths.post($0)
        }
        defer { observation.end() }
        while true {
            if asksWhetherMetered {
                await wait(nil) { $0.isMetered == true && $0.isRemote(host) }
            }
            do throws(DownloadError) {
                return try await fetch()
            } catch {
                guard settings.waitsForConnectivity, response == nil, error.mayPass else {
                    throw error
                }
                let network = engine.network
                let path = try await engine.disk.run { () throws(DownloadError) in network.look() }
                guard !path.reaches(host) else { throw error }
                await wait(path) { !$0.reaches(host) }
            }
        }
    }

    /// Waits while the network is such; without a path, until the first is told.
    private func wait(
        _ path: NetworkPath?,
        while isObstacle: (NetworkPath) -> Bool
    ) async {
        let control = control
        var path = path
        var isWaiting = false
        while !control.isStopped {
            path = control.paths.take().last ?? path
            if let path {
                guard isObstacle(path) else { break }
                if !isWaiting {
                    isWaiting = true
                    handle(.connectivityLost)
                    tellConnectivityIsLost()
                }
            }
            await control.paths.wait()
        }
        if isWaiting { handle(.connectivityFound) }
    }
}

extension DownloadError {
    /// Whether it may be the network's fault.
    fileprivate var mayPass: Bool { code != .interrupted && retryClass != .never }
}
