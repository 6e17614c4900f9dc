/// The state of an origin at one moment.
package struct OriginSnapshot: Sendable {
    /// The requests in order of arrival.
    package var requests: [RecordedRequest] = []
    /// The number of connections accepted so far.
    package var acceptedConnections = 0
    /// The number of open connections.
    package var openConnections = 0
    /// The maximum number of connections from this process that were open at the same time, as seen
    /// by the clients whenever the origin accepted one.
    ///
    /// The origin's own ends do not show this: on a busy machine, one can close after the client
    /// has opened its next connection.
    package var peakConnections = 0

    /// The number of requests without a complete answer.
    package var activeExchanges: Int { requests.count { $0.end == nil } }

    /// The number of content bytes sent in all responses.
    package var bodyBytesSent: Int64 { requests.reduce(0) { $0 + $1.bodyBytesSent } }

    /// Returns the requests whose target, without its query, is the given path.
    package func requests(to path: String) -> [RecordedRequest] {
        requests.filter { $0.path == path }
    }
}
