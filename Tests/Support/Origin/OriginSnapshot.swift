/// All that happened at an origin, at one moment.
package struct OriginSnapshot: Sendable {
    /// In the order of their arrival.
    package var requests: [RecordedRequest] = []
    /// How many connections were ever accepted.
    package var acceptedConnections = 0
    /// How many are open.
    package var openConnections = 0
    /// The most that were open at once.
    package var peakConnections = 0

    /// How many requests are being answered.
    package var activeExchanges: Int { requests.count { $0.end == nil } }

    /// Content bytes sent by all answers together.
    package var bodyBytesSent: Int64 { requests.reduce(0) { $0 + $1.bodyBytesSent } }

    /// The requests whose target, without its query, is that path.
    package func requests(to path: String) -> [RecordedRequest] {
        requests.filter { $0.path == path }
    }
}
