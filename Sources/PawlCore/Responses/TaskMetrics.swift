/// What a task took: measured from its first request, over all its runs.
public struct TaskMetrics: Sendable, Hashable {
    /// Until the host's name had an address, of the first connection.
    public var nameLookup: Duration?
    /// Until the first connection stood.
    public var connect: Duration?
    /// Until the first connection was secured.
    public var secureConnection: Duration?
    /// Until the first byte of the first answer.
    public var firstByte: Duration?
    /// From the start of the first run to the end of the last, pauses left out.
    public var duration: Duration = .zero
    /// Bytes of bodies that came over the network, those that were fetched twice included.
    public var bytesReceived: Int64 = 0
    /// Exchanges with servers, redirects and failed ones included.
    public var transfers = 0
    /// Parts of the file that exchanges brought, each one of them.
    public var segments = 0
    /// Exchanges that broke: each but one that ended the task was tried again.
    public var retries = 0
    /// Redirects that were followed.
    public var redirects = 0
    /// Exchanges that went over a connection that stood already.
    public var reusedConnections = 0
    /// The address that answered last.
    public var remoteAddress: String?
    /// `HTTP/1.1`, `HTTP/2`; nil where there was no answer.
    public var protocolVersion: String?

    /// Makes the metrics of a task that has not begun.
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
}
