package import PawlCore

/// The times and counts of a download's runs; times are in seconds.
package struct WireMetrics: Codable, Sendable, Hashable {
    /// The time that resolving the host's name took, for the first connection.
    package var nameLookup: Double?
    package var connect: Double?
    package var secureConnection: Double?
    package var firstByte: Double?
    package var duration: Double
    package var bytesReceived: Int64
    package var transfers: Int
    package var segments: Int
    package var retries: Int
    package var redirects: Int
    package var reusedConnections: Int
    package var remoteAddress: String?
    package var protocolVersion: String?

    package init(_ metrics: TaskMetrics) {
        nameLookup = metrics.nameLookup?.seconds
        connect = metrics.connect?.seconds
        secureConnection = metrics.secureConnection?.seconds
        firstByte = metrics.firstByte?.seconds
        duration = metrics.duration.seconds
        bytesReceived = metrics.bytesReceived
        transfers = metrics.transfers
        segments = metrics.segments
        retries = metrics.retries
        redirects = metrics.redirects
        reusedConnections = metrics.reusedConnections
        remoteAddress = metrics.remoteAddress
        protocolVersion = metrics.protocolVersion
    }

    /// Returns the sum of these runs and a later one.
    package func adding(_ later: WireMetrics) -> WireMetrics {
        // A run that reached no server has no first connection to report.
        var sum = transfers > 0 ? self : later
        sum.duration = duration + later.duration
        sum.bytesReceived = Self.sum(bytesReceived, later.bytesReceived)
        sum.transfers = Self.sum(transfers, later.transfers)
        sum.segments = Self.sum(segments, later.segments)
        sum.retries = Self.sum(retries, later.retries)
        sum.redirects = Self.sum(redirects, later.redirects)
        sum.reusedConnections = Self.sum(reusedConnections, later.reusedConnections)
        sum.remoteAddress = later.remoteAddress ?? remoteAddress
        sum.protocolVersion = later.protocolVersion ?? protocolVersion
        return sum
    }

    /// The metrics in the library's form.
    package var metrics: TaskMetrics {
        var metrics = TaskMetrics()
        metrics.nameLookup = Self.duration(nameLookup)
        metrics.connect = Self.duration(connect)
        metrics.secureConnection = Self.duration(secureConnection)
        metrics.firstByte = Self.duration(firstByte)
        metrics.duration = Self.duration(duration) ?? .zero
        metrics.bytesReceived = bytesReceived
        metrics.transfers = transfers
        metrics.segments = segments
        metrics.retries = retries
        metrics.redirects = redirects
        metrics.reusedConnections = reusedConnections
        metrics.remoteAddress = remoteAddress
        metrics.protocolVersion = protocolVersion
        return metrics
    }

    private static func duration(_ seconds: Double?) -> Duration? {
        // A duration of more than a century is not a measurement.
        seconds.flatMap { (0...3e9).contains($0) ? .seconds($0) : nil }
    }

    private static func sum<Number: FixedWidthInteger>(_ left: Number, _ right: Number) -> Number {
        let (sum, overflows) = left.addingReportingOverflow(right)
        return overflows ? .max : sum
    }
}
