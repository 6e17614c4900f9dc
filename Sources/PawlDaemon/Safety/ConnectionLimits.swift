/// How long a client may take, and how much it may send: no connection is held for ever.
package struct ConnectionLimits: Sendable, Hashable {
    /// From the connection to the end of the first head.
    package var head: Duration = .seconds(10)
    /// From the end of a head to that of its body.
    package var body: Duration = .seconds(30)
    /// From the end of an answer to that of the next head.
    package var idle: Duration = .seconds(60)
    /// As long an answer may wait for somebody to read what is there.
    package var reading: Duration = .seconds(30)
    package var headBytes = 32 << 10
    package var fields = 100
    /// What the system keeps of an answer that is not read.
    package var unreadBytes: Int32 = 256 << 10
    /// Of all those together who have shown a token or a cookie.
    package var connections = 4096
    /// Of each token, and of the page: none of them can keep the others out.
    package var connectionsEach: Int { max(1, connections / 4) }
    /// Of those who have not shown one yet; the oldest makes room for the next.
    package var unknownConnections = 64

    package init() {}

    /// With as many connections as leave most descriptors for the socket, the queue and downloads.
    ///
    /// `openFiles`: how many descriptors the process may have.
    package func within(openFiles: Int) -> ConnectionLimits {
        var limits = self
        limits.connections = min(connections, max(4, openFiles / 4))
        limits.unknownConnections = min(unknownConnections, max(1, openFiles / 16))
        return limits
    }

    /// For all of these one time.
    package init(times: Duration) {
        (head, body, idle, reading) = (times, times, times, times)
    }
}
