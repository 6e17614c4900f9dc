package import struct FoundationEssentials.Date

/// Something that happened to a download.
///
/// Events are kept for a limited time.
package struct WireEvent: Codable, Sendable, Hashable {
    package enum Kind: String, Codable, Sendable, CaseIterable {
        case added
        /// The download runs.
        case started
        /// The download waits to be retried.
        case retrying
        case paused
        /// The download was resumed and is queued.
        case resumed
        /// The download's settings, priority or position were changed.
        case changed
        case finished, failed, cancelled, removed
        /// The daemon's settings were changed; the event has no download.
        case settings
    }

    /// The number of the event.
    ///
    /// Numbers ascend and are unique; gaps mean nothing.
    package var id: Int64
    package var kind: Kind
    /// The download; `nil` for `settings`.
    package var download: Int64?
    package var name: String
    package var session: String?
    package var at: Date
    /// The path of the finished file.
    package var path: String?
    package var completedBytes: Int64?
    package var totalBytes: Int64?
    package var problem: Problem?
    /// For `removed`: the download as it was, if its session has not acknowledged its end.
    package var removed: WireDownload?
    /// For `settings`: the new settings.
    package var settings: DaemonSettings?

    package init(id: Int64, kind: Kind, download: Int64?, name: String, at: Date) {
        self.id = id
        self.kind = kind
        self.download = download
        self.name = name
        self.at = at
    }
}

/// Reports events that a reader requested and that are no longer kept.
///
/// The lists show the current state.
package struct WireMissedEvents: Codable, Sendable, Hashable {
    /// The last event that the reader has seen.
    package var after: Int64
    /// The newest event that may be missing.
    package var through: Int64

    package init(after: Int64, through: Int64) {
        self.after = after
        self.through = through
    }
}

/// The progress of the running downloads.
///
/// It is sent several times per second and not kept.
package struct WireProgress: Codable, Sendable, Hashable {
    package struct Row: Codable, Sendable, Hashable {
        package var id: Int64
        package var name: String
        package var completedBytes: Int64
        package var totalBytes: Int64?
        package var bytesPerSecond: Int64
        package var connections: Int
        /// The number of bytes of an earlier run that this one continues; `nil` until the server
        /// has agreed, and if there are none.
        package var resumedBytes: Int64?
        /// The number of times that this run discarded its bytes because the file had changed on
        /// the server; `nil` if it never did.
        package var restarts: Int?
        /// Why it discarded them the last time (`DownloadRestart.Reason`).
        package var restartReason: String?
        /// Whether the bytes of an earlier run may still be discarded, because the server has not
        /// agreed to continue after them, or has another file; `nil` if not.
        package var isUnconfirmed: Bool?

        package init(id: Int64, name: String, completedBytes: Int64) {
            self.id = id
            self.name = name
            self.completedBytes = completedBytes
            bytesPerSecond = 0
            connections = 0
        }
    }

    package var downloads: [Row]

    package static let eventName = "progress"

    package init(_ downloads: [Row]) { self.downloads = downloads }
}
