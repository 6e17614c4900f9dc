/// The connections and requests of an origin since its reset.
struct OriginRecord: Sendable {
    struct Connection: Sendable {
        let opened: Moment
        /// The time when it was closed; `nil` while it is open.
        var closed: Moment?
        var servedBytes = 0
    }

    struct Request: Sendable {
        let arrived: Moment
        /// The start of the range; `nil` if none was requested.
        let firstByte: Int?
    }

    /// The connections by number, counted from 1.
    var connections: [Connection] = []
    var requests: [Request] = []
    var servedBytes = 0
}
