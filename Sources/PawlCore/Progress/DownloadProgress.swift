/// The progress of a download at one moment.
public struct DownloadProgress: Sendable, Hashable {
    /// The number of bytes on disk, including those of earlier runs.
    ///
    /// It falls only if the file changed on the server and is fetched again.
    public var completedBytes: Int64 = 0
    /// The number of bytes on disk from earlier runs that could be used.
    public var resumedBytes: Int64 = 0
    /// The size of the whole file in bytes; `nil` if it is not known.
    public var totalBytes: Int64?
    /// The smoothed speed in bytes per second.
    public var bytesPerSecond: Double = 0
    /// The number of open connections of this download.
    ///
    /// It is 0 while the task is suspended, although connections stay open for a while.
    public var connections = 0
    /// The part that each connection fetches, in the order of the file.
    ///
    /// It is empty if the daemon runs the download, and while the task is suspended.
    public var segments: [SegmentProgress] = []
    /// What the download is doing.
    public var phase: DownloadPhase = .waiting
    /// The file's name once it is known, cleaned and safe to show.
    public var name = ""

    /// Creates the progress of a download that has not started.
    public init() {}

    /// Shows the download as suspended or paused: no speed and no connections, even if some are
    /// still open.
    package mutating func standStill() {
        switch phase {
        case .waiting, .connecting, .receiving, .retrying, .waitingForConnectivity:
            phase = .waiting
        // Work on the complete file continues.
        case .verifying, .finished, .failed: break
        }
        bytesPerSecond = 0
        connections = 0
        segments = []
    }

    /// The completed fraction from 0 to 1; `nil` if the size is not known.
    public var fraction: Double? {
        guard let totalBytes else { return nil }
        return totalBytes == 0 ? 1 : min(1, Double(completedBytes) / Double(totalBytes))
    }

    /// The remaining time at the current speed; `nil` if it is not known.
    public var timeLeft: Duration? {
        guard let totalBytes, bytesPerSecond > 0 else { return nil }
        let seconds = Double(max(0, totalBytes - completedBytes)) / bytesPerSecond
        return seconds < 1e9 ? .seconds(seconds) : nil
    }
}

/// The phase of a download.
public enum DownloadPhase: String, Sendable, Hashable, CaseIterable, Codable {
    /// Queued, suspended or paused.
    case waiting
    /// Waiting for the server's response.
    case connecting
    /// Receiving bytes.
    case receiving
    /// Waiting for the next retry.
    case retrying
    /// Waiting for a network that may be used.
    ///
    /// The download resumes when there is one.
    case waitingForConnectivity
    /// Computing the digest or syncing the disk after all bytes have been received.
    case verifying
    /// Finished: the complete file has its name.
    case finished
    /// Ended without the file.
    case failed
}
