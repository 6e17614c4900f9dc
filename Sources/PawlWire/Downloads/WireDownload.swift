package import struct FoundationEssentials.Date
package import PawlCore

/// A download as the daemon tells of it.
///
/// It holds no secret: the URL has no user, and the values of its secret parameters are hidden.
package struct WireDownload: Codable, Sendable, Hashable {
    /// Ascending, never used again.
    package var id: Int64
    package var state: TaskState
    package var name: String
    /// Who has added it; nil where an older daemon does not say it.
    package var owner: DownloadOwner?
    package var url: String
    /// Where else the same file is to be had.
    package var mirrors: [String]?
    /// The file or the folder that was asked for.
    package var destination: String
    /// The file that it becomes, once that is known.
    package var path: String?
    package var completedBytes: Int64
    package var totalBytes: Int64?
    package var bytesPerSecond: Int64?
    package var connections: Int?
    package var priority: WirePriority
    /// Its place among those of the same priority: the lowest begins first.
    package var position: Int64
    package var session: String?
    /// Not before that.
    package var notBefore: Date?
    /// How often it has failed in a row and waits to be tried again.
    package var failures: Int?
    /// Why it failed, or what it waits for.
    package var problem: Problem?
    package var createdAt: Date
    package var endedAt: Date?
    /// What a background session's process calls it.
    package var taskIdentifier: Int64?
    package var taskDescription: String?
    package var response: WireResponse?
    /// Its own limit, beside that of all.
    package var limitBytesPerSecond: Int64?
    /// What its runs have taken so far.
    package var metrics: WireMetrics?

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
}

/// A page of the list.
package struct WireDownloadPage: Codable, Sendable, Hashable {
    package var downloads: [WireDownload]
    /// What to give as `after` for the next page; nil at the end.
    package var next: Int64?

    package init(downloads: [WireDownload], next: Int64? = nil) {
        self.downloads = downloads
        self.next = next
    }
}

/// How urgent a download is, by a word.
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
