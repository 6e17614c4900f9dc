internal import PawlCore
internal import PawlStorage

/// What the network's coming and going means for one download that asked to be told.
extension DownloadDriver {
    /// Nil where the download goes on whatever the network is.
    func observeNetwork() -> NetworkObservation? {
        let settings = job.settings
        guard settings.waitsForConnectivity || !settings.allowsExpensiveNetwork else { return nil }
        let mailbox = mailbox
        return engine.network.observe(asksWhetherMetered: !settings.allowsExpensiveNetwork) {
            mailbox.post(.networkChanged($0))
        }
    }

    /// A transfer may fail before the word that its route is gone has come.
    func lookAtNetwork(after outcome: TransferOutcome) async {
        guard job.settings.waitsForConnectivity, case .failed = outcome else { return }
        let network = engine.network
        do throws(DownloadError) {
            let path = try await engine.disk.run { () throws(DownloadError) in network.look() }
            await tell(.networkChanged(path))
        } catch {
            // The engine is being shut down, and the download with it.
        }
    }

    /// Shows and tells that the download waits, or that it goes on.
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
