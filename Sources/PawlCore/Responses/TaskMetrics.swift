/// Measurements of a task over all its runs.
///
/// Times are measured from its first request.
public struct TaskMetrics: Sendable, Hashable {
    /// The time until the host's name was resolved, for the first connection.
    public var nameLookup: Duration?
    /// The time until the first connection was established.
    public var connect: Duration?
    /// The time until the first connection was secured.
    public var secureConnection: Duration?
    /// The time until the first byte of the first response.
    public var firstByte: Duration?
    /// The time from the start of the first run to the end of the last, without pauses.
    public var duration: Duration = .zero
    /// The number of bytes of bodies received over the network, including those fetched twice.
    ///
    /// A body with a content coding counts as it is after decoding.
    public var bytesReceived: Int64 = 0
    /// The number of exchanges with servers, including redirects and failed ones.
    public var transfers = 0
    /// The number of parts of the file that were fetched by exchanges.
    public var segments = 0
    /// The number of exchanges that broke.
    ///
    /// Each was retried, except one that ended the task.
    public var retries = 0
    /// The number of redirects that were followed.
    public var redirects = 0
    /// The number of exchanges over a reused connection.
    public var reusedConnections = 0
    /// The address of the server that responded last.
    public var remoteAddress: String?
    /// The protocol version, such as `HTTP/1.1` or `HTTP/2`; `nil` if there was no response.
    public var protocolVersion: String?

    /// Creates the metrics of a task that has not started.
    public init() {}

    package mutating func ended(_ end: TransferEnd) {
        let timings = end.timings
        if transfers == 0 {
            nameLookup = timings.nameResolved
            connect = timings.connected
            secureConnection = timings.secured
        }
        if firstByte == nil { firstByte = timings.firstByte }
        transfers += 1
        if case .failed = end.outcome { retries += 1 }
        if timings.reusedConnection { reusedConnections += 1 }
        remoteAddress = timings.remoteAddress ?? remoteAddress
    }

    /// Returns the sum of these runs and a later one.
    package func adding(_ later: TaskMetrics) -> TaskMetrics {
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

    private static func sum<Number: FixedWidthInteger>(_ left: Number, _ right: Number) -> Number {
        let (sum, overflows) = left.addingReportingOverflow(right)
        return overflows ? .max : sum
    }
}

/// Encodes times as seconds.
///
/// The compiler's generated coding calls these methods for the times.
extension TaskMetrics: Codable {}

extension KeyedDecodingContainer {
    fileprivate func decode(_: Duration.Type, forKey key: Key) throws -> Duration {
        duration(try decode(Double.self, forKey: key)) ?? .zero
    }

    fileprivate func decodeIfPresent(_: Duration.Type, forKey key: Key) throws -> Duration? {
        try decodeIfPresent(Double.self, forKey: key).flatMap(duration)
    }

    private func duration(_ seconds: Double) -> Duration? {
        // A duration of more than a century is not a measurement. Whole nanoseconds are encoded
        // again as they were.
        (0...3e9).contains(seconds) ? .nanoseconds(Int64((seconds * 1e9).rounded())) : nil
    }
}

extension KeyedEncodingContainer {
    fileprivate mutating func encode(_ time: Duration, forKey key: Key) throws {
        try encode(time.seconds, forKey: key)
    }

    fileprivate mutating func encodeIfPresent(_ time: Duration?, forKey key: Key) throws {
        try encodeIfPresent(time?.seconds, forKey: key)
    }
}
