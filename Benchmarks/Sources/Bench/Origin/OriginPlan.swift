/// The behaviour of an origin.
struct OriginPlan: Sendable {
    /// A change of behaviour after the given number of bytes was sent.
    struct Turn: Sendable {
        enum Change: Sendable {
            /// All connections, old and new, are reset.
            case dies
            /// All connections together are limited to this rate.
            case slows(bytesPerSecond: Double)
        }

        let afterBytes: Int
        let change: Change
    }

    /// The limit for all connections together; `nil` for no limit.
    var bytesPerSecond: Double?
    /// The limit for the connection with the given number, counted from 1; `nil` for no limit.
    var connectionBytesPerSecond: @Sendable (Int) -> Double? = { _ in nil }
    var turn: Turn?
}
