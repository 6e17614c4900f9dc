package import struct FoundationEssentials.Date

/// The daemon's report about itself.
package struct DaemonStatus: Codable, Sendable, Hashable {
    package var version: String
    /// The version of the protocol; `nil` if it is the first one.
    package var protocolVersion: Int?
    package var processIdentifier: Int32
    package var startedAt: Date
    /// Where its store is: a path, or the address of a database without a password.
    package var store: String
    /// The reason why the daemon cannot use its store at present, and what to do.
    package var storeProblem: String?
    /// The URL of the API over TCP; `nil` if the daemon listens only at its socket.
    package var url: String?
    /// The reason why the daemon does not listen for TCP, although the settings enable it.
    package var listenProblem: String?
    /// The URL under which a reverse proxy serves the daemon; `nil` without one.
    package var baseURL: String?
    /// The URL for clients of aria2; `nil` if the daemon does not listen for them.
    package var aria2URL: String?
    /// The reason why the daemon does not listen for clients of aria2, although the settings enable
    /// it.
    package var aria2Problem: String?
    /// The number of downloads in each state.
    package var counts: [String: Int]
    package var maximumConcurrentDownloads: Int
    package var bytesPerSecond: Int64
    /// The newest event that is kept.
    package var lastEvent: Int64

    package init(version: String, processIdentifier: Int32, startedAt: Date, store: String) {
        self.version = version
        protocolVersion = ProtocolVersion.current
        self.processIdentifier = processIdentifier
        self.startedAt = startedAt
        self.store = store
        counts = [:]
        maximumConcurrentDownloads = 0
        bytesPerSecond = 0
        lastEvent = 0
    }
}
