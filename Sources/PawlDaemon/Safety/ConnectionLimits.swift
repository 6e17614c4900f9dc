/// The limits on a client's time and bytes, so that no connection is held forever.
package struct ConnectionLimits: Sendable, Hashable {
    /// The maximum time from the connection to the end of the first head.
    package var head: Duration = .seconds(10)
    /// The maximum time from the end of a head to the end of its body.
    package var body: Duration = .seconds(30)
    /// The maximum time from the end of a response to the end of the next head.
    package var idle: Duration = .seconds(60)
    /// The maximum time that a response may wait for the client to read.
    package var reading: Duration = .seconds(30)
    package var headBytes = 32 << 10
    package var fields = 100
    /// The size of the socket buffer for responses that the client has not read.
    package var unreadBytes: Int32 = 256 << 10
    /// The maximum number of authenticated connections.
    package var connections = 4096
    /// The maximum number of connections per token, and of the page, so that none of them can block
    /// the others.
    package var connectionsEach: Int { max(1, connections / 4) }
    /// The maximum number of unauthenticated connections; a new one replaces the oldest.
    package var unknownConnections = 64

    /// The maximum number of unauthenticated connections that may stay to listen, apart from the
    /// others; a new one replaces the oldest.
    package var listeners = 16

    package init() {}

    /// Returns limits that leave most descriptors for the Unix socket, the queue and the downloads.
    ///
    /// `openFiles`: the maximum number of descriptors of the process.
    package func within(openFiles: Int) -> ConnectionLimits {
        var limits = self
        limits.connections = min(connections, max(4, openFiles / 4))
        limits.unknownConnections = min(unknownConnections, max(1, openFiles / 16))
        limits.listeners = min(listeners, max(1, openFiles / 64))
        return limits
    }

    /// Sets all time limits to the same value.
    package init(times: Duration) {
        (head, body, idle, reading) = (times, times, times, times)
    }
}
