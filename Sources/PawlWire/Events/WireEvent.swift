package import struct FoundationEssentials.Date

/// Something that happened to a download; kept until it is old.
package struct WireEvent: Codable, Sendable, Hashable {
    package enum Kind: String, Codable, Sendable, CaseIterable {
        case added
        /// It runs.
        case started
        /// It waits to be tried again.
        case retrying
        case paused
        /// It was asked to go on and is in line.
        case resumed
        /// Its settings, its priority or its place were changed.
        case changed
        case finished, failed, cancelled, removed
        /// What holds for all downloads was changed; it has no download.
        case settings
    }

    /// Ascending, without doubles; gaps mean nothing.
    package var id: Int64
    package var kind: Kind
    /// Nil of `settings`.
    package var download: Int64?
    package var name: String
    package var session: String?
    package var at: Date
    /// The finished file.
    package var path: String?
    package var completedBytes: Int64?
    package var totalBytes: Int64?
    package var problem: Problem?
    /// Of `removed`: the download as it was, where its session has not acknowledged its end.
    package var removed: WireDownload?
    /// Of `settings`: what holds now.
    package var settings: DaemonSettings?

    package init(id: Int64, kind: Kind, download: Int64?, name: String, at: Date) {
        self.id = id
        self.kind = kind
        self.download = download
        self.name = name
        self.at = at
    }
}

/// Events that a reader asks for and that are not kept any more: the lists say what has become of it all.
package struct WireMissedEvents: Codable, Sendable, Hashable {
    /// The last one that the reader has seen.
    package var after: Int64
    /// The newest that may be missing.
    package var through: Int64

    package init(after: Int64, through: Int64) {
        self.after = after
        self.through = through
    }
}

/// How far the running downloads are: told a few times a second, and not kept.
package struct WireProgress: Codable, Sendable, Hashable {
    package struct Row: Codable, Sendable, Hashable {
        package var id: Int64
        package var name: String
        package var completedBytes: Int64
        package var totalBytes: Int64?
        package var bytesPerSecond: Int64
        package var connections: Int
        /// How many bytes of an earlier run this one continues; nil before the server has agreed, and
        /// where there are none.
        package var resumedBytes: Int64?
        /// How often this run threw away what was there, as the file had changed on the server; nil for
        /// never.
        package var restarts: Int?

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
