/// The limits on how long a client may take and how much it may send.
///
/// No connection is held for ever.
package struct ConnectionLimits: Sendable, Hashable {
    /// The maximum time from the connection to the end of the first head.
    package var head: Duration = .seconds(10)
    /// The maximum time from the end of a head to the end of its body.
    package var body: Duration = .seconds(30)
    /// The maximum time from the end of an answer to the end of the next head.
    package var idle: Duration = .seconds(60)
    /// The maximum time for which an answer waits for the client to read.
    package var reading: Duration = .seconds(30)
    package var headBytes = 32 << 10
    package var fields = 100
    /// The maximum number of unread bytes of an answer that the system keeps.
    package var unreadBytes: Int32 = 256 << 10
    /// The maximum number of connections of all clients that have presented a token or a cookie.
    package var connections = 4096
    /// The maximum number of connections per token, and for the page, so that none of them can
    /// block the others.
    package var connectionsEach: Int { max(1, connections / 4) }
    /// The maximum number of connections of clients that have presented nothing yet.
    ///
    /// The oldest is closed for a new one.
    package var unknownConnections = 64

    package init() {}

    /// Returns limits that leave most descriptors for the socket, the queue and downloads.
    ///
    /// `openFiles` is the number of descriptors that the process may have.
    package func within(openFiles: Int) -> ConnectionLimits {
        var limits = self
        limits.connections = min(connections, max(4, openFiles / 4))
        limits.unknownConnections = min(unknownConnections, max(1, openFiles / 16))
        return limits
    }

    /// Creates limits with the same value for all times.
    package init(times: Duration) {
        (head, body, idle, reading) = (times, times, times, times)
    }
}
