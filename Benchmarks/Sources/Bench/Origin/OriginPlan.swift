/// The behaviour of an origin.
struct OriginPlan: Sendable {
    /// What happens after the given number of bytes was served.
    struct Turn: Sendable {
        enum Change: Sendable {
            /// All connections, old and new, are reset.
            case dies
            /// From then on all connections together are limited to this rate.
            case slows(bytesPerSecond: Double)
        }

        let afterBytes: Int
        let change: Change
    }

    /// The limit for all connections together; `nil` is no limit.
    var bytesPerSecond: Double?
    /// The limit for the connection of a number, counted from 1; `nil` is no limit.
    var connectionBytesPerSecond: @Sendable (Int) -> Double? = { _ in nil }
    var turn: Turn?
}
