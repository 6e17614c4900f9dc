package import struct FoundationEssentials.Date
package import PawlCore

/// A download as the daemon reports it.
///
/// It contains no secret: the URL has no user, and the values of its secret parameters are hidden.
package struct WireDownload: Codable, Sendable, Hashable {
    /// The identifier.
    ///
    /// Identifiers ascend and are never reused.
    package var id: Int64
    package var state: TaskState
    package var name: String
    /// The owner of the download; `nil` if an older daemon does not report it.
    package var owner: DownloadOwner?
    package var url: String
    /// The other URLs of the same file.
    package var mirrors: [String]?
    /// The file or the folder that was requested.
    package var destination: String
    /// The path of the finished file, once it is known.
    package var path: String?
    package var completedBytes: Int64
    package var totalBytes: Int64?
    package var bytesPerSecond: Int64?
    package var connections: Int?
    package var priority: WirePriority
    /// The position among downloads of the same priority; the lowest starts first.
    package var position: Int64
    package var session: String?
    package var label: String?
    /// The time before which the download does not start.
    package var notBefore: Date?
    /// The number of failures in a row, if the download waits to be retried.
    package var failures: Int?
    /// The reason why the download failed, or what it waits for.
    package var problem: Problem?
    package var createdAt: Date
    package var endedAt: Date?
    /// The identifier that a background session's process uses.
    package var taskIdentifier: Int64?
    package var taskDescription: String?
    package var response: WireResponse?
    /// The download's own speed limit, beside the limit for all downloads.
    package var limitBytesPerSecond: Int64?
    /// The times and counts of its runs so far.
    package var metrics: TaskMetrics?

    package init(id: Int64, state: TaskState, name: String, url: String, createdAt: Date) {
        self.id = id
        self.state = state
        self.name = name
        self.url = url
        self.createdAt = createdAt
        destination = ""
        completedBytes = 0
        priority = .normal
        position = id
    }

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

/// A page of the list.
package struct WireDownloadPage: Codable, Sendable, Hashable {
    package var downloads: [WireDownload]
    /// The value of `after` for the next page; `nil` on the last page.
    package var next: Int64?

    package init(downloads: [WireDownload], next: Int64? = nil) {
        self.downloads = downloads
        self.next = next
    }
}

/// The priority of a download, as a word.
package enum WirePriority: String, Codable, Sendable, CaseIterable {
    case low, normal, high

    package init(_ priority: DownloadPriority) {
        self =
            switch priority {
            case .low: .low
            case .normal: .normal
            case .high: .high
            }
    }

    package var priority: DownloadPriority {
        switch self {
        case .low: .low
        case .normal: .normal
        case .high: .high
        }
    }
}
