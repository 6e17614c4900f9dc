package import struct FoundationEssentials.Date

/// What the daemon says of itself.
package struct DaemonStatus: Codable, Sendable, Hashable {
    package var version: String
    /// The version of the protocol; nil where it is the first one.
    package var protocolVersion: Int?
    package var processIdentifier: Int32
    package var startedAt: Date
    /// Where its store lies.
    package var store: String
    /// The URL of the API over TCP; nil where it answers at its socket alone.
    package var url: String?
    /// Why it does not answer over TCP though the settings say so.
    package var listenProblem: String?
    /// How many downloads are in each state.
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
