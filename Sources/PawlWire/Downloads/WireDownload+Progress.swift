package import PawlCore

extension WireDownload {
    /// The progress of the download.
    ///
    /// Only a running download has a speed and connections.
    package var progress: DownloadProgress {
        var progress = DownloadProgress()
        progress.completedBytes = completedBytes
        progress.totalBytes = totalBytes
        progress.phase = phase
        progress.name = name
        guard state == .running else { return progress }
        progress.bytesPerSecond = Double(bytesPerSecond ?? 0)
        progress.connections = connections ?? 0
        return progress
    }

    private var phase: DownloadPhase {
        switch state {
        case .running: completedBytes > 0 ? .receiving : .connecting
        case .waitingForConnectivity: .waitingForConnectivity
        case .waiting: failures == nil ? .waiting : .retrying
        case .suspended, .paused: .waiting
        case .finished: .finished
        case .failed, .cancelled: .failed
        }
    }

    /// Takes over the values of a progress event, which exists only for a running download.
    package mutating func take(_ row: WireProgress.Row) {
        state = .running
        completedBytes = row.completedBytes
        totalBytes = row.totalBytes ?? totalBytes
        bytesPerSecond = row.bytesPerSecond
        connections = row.connections
        if !row.name.isEmpty { name = row.name }
    }
}
