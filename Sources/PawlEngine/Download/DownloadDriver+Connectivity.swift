internal import PawlCore
internal import PawlStorage

/// How a download that waits for connectivity reacts to changes of the network.
extension DownloadDriver {
    /// Starts observing the network; `nil` if the download does not depend on it.
    func observeNetwork() -> NetworkObservation? {
        let settings = job.settings
        guard settings.waitsForConnectivity || !settings.allowsExpensiveNetwork else { return nil }
        let mailbox = mailbox
        return engine.network.observe(asksWhetherMetered: !settings.allowsExpensiveNetwork) {
            mailbox.post(.networkChanged($0))
        }
    }

    /// Checks the network after a failed transfer, which may end before the lost route is reported.
    func lookAtNetwork(after outcome: TransferOutcome) async {
        guard job.settings.waitsForConnectivity, case .failed = outcome else { return }
        let network = engine.network
        do throws(DownloadError) {
            let path = try await engine.disk.run { () throws(DownloadError) in network.look() }
            await tell(.networkChanged(path))
        } catch {
            // The engine is shutting down, and the download ends with it.
        }
    }

    /// Shows and reports that the download waits, or that it has resumed.
    func showWaiting() {
        let isWaiting = planner.isWaitingForConnectivity
        if isWaiting {
            monitor.entered(.waitingForConnectivity)
        } else if planner.isWaitingToRetry {
            monitor.entered(.retrying)
        } else if isWaitingForConnectivity {
            let isReceiving = context.store.current != nil && !transfers.isEmpty
            monitor.entered(isReceiving ? .receiving : .connecting)
        }
        guard isWaiting != isWaitingForConnectivity else { return }
        isWaitingForConnectivity = isWaiting
        job.connectivityChanged?(isWaiting)
    }
}
