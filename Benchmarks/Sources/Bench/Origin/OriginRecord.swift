/// What an origin saw since it was reset.
struct OriginRecord: Sendable {
    struct Connection: Sendable {
        let opened: Moment
        /// Nil while it is open.
        var closed: Moment?
        var servedBytes = 0
    }

    struct Request: Sendable {
        let arrived: Moment
        /// Where the range begins; nil if none was asked for.
        let firstByte: Int?
    }

    /// By their numbers, the first being 1.
    var connections: [Connection] = []
    var requests: [Request] = []
    var servedBytes = 0
}
