/// How far a download is, at one moment.
public struct DownloadProgress: Sendable, Hashable {
    /// Bytes on disk, those of earlier runs included.
    ///
    /// Never falls but when the file changed on the server and is fetched anew.
    public var completedBytes: Int64 = 0
    /// Bytes on disk that earlier runs left, as far as they could be used.
    public var resumedBytes: Int64 = 0
    /// The whole file's size in bytes, nil where it is not known.
    public var totalBytes: Int64?
    /// The smoothed speed, in bytes a second.
    public var bytesPerSecond: Double = 0
    /// Connections that are open for this download; 0 while its task is suspended, though they are kept
    /// for a while.
    public var connections = 0
    /// What each connection is fetching, in the order of the file.
    ///
    /// Empty where the daemon does the work, and while the task is suspended.
    public var segments: [SegmentProgress] = []
    /// What the download is doing.
    public var phase: DownloadPhase = .waiting
    /// The file's name, once known; cleaned, fit to be shown.
    public var name = ""

    /// Makes the progress of a download that has not begun.
    public init() {}

    /// Shows the download as suspended or paused: no speed, no connections, whatever is still open.
    package mutating func standStill() {
        switch phase {
        case .waiting, .connecting, .receiving, .retrying, .waitingForConnectivity:
            phase = .waiting
        // What is still done to the file goes on.
        case .verifying, .finished, .failed: break
        }
        bytesPerSecond = 0
        connections = 0
        segments = []
    }

    /// From 0 to 1, nil where the size is not known.
    public var fraction: Double? {
        guard let totalBytes else { return nil }
        return totalBytes == 0 ? 1 : min(1, Double(completedBytes) / Double(totalBytes))
    }

    /// The time left at the present speed, nil where it cannot be told.
    public var timeLeft: Duration? {
        guard let totalBytes, bytesPerSecond > 0 else { return nil }
        let seconds = Double(max(0, totalBytes - completedBytes)) / bytesPerSecond
        return seconds < 1e9 ? .seconds(seconds) : nil
    }
}

/// What a download is doing.
public enum DownloadPhase: Sendable, Hashable {
    /// Waiting for its turn, or suspended or paused.
    case waiting
    /// Asking the server, no byte yet.
    case connecting
    /// Bytes come.
    case receiving
    /// Waiting before it tries again.
    case retrying
    /// There is no network, or none that may be used; it goes on when there is.
    case waitingForConnectivity
    /// All bytes are there; the digest is being computed or the disk synced.
    case verifying
    /// The file is complete under its name.
    case finished
    /// Ended without the file.
    case failed
}
