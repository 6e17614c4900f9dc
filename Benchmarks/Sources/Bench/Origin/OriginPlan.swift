/// How an origin of the benchmark's own behaves.
struct OriginPlan: Sendable {
    /// What happens once it has served so many bytes.
    struct Turn: Sendable {
        enum Change: Sendable {
            /// Every connection, old or new, is reset.
            case dies
            /// All connections together get no more than this from then on.
            case slows(bytesPerSecond: Double)
        }

        let afterBytes: Int
        let change: Change
    }

    /// What all connections get together; nil is no limit.
    var bytesPerSecond: Double?
    /// What the connection with this number gets, the first being 1; nil is no limit.
    var connectionBytesPerSecond: @Sendable (Int) -> Double? = { _ in nil }
    var turn: Turn?
}
