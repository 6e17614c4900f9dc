/// A link between two networks.
struct LinkSettings {
    /// The delay in one direction; the round trip is twice that.
    var delayMilliseconds: Double
    /// The proportion of lost packets.
    var loss: Double
    var bitsPerSecond: Int
    /// The maximum number of bytes that wait for the link; further ones are dropped.
    var queueBytes: Int
    /// The congestion control of both ends; `nil` for the system's default.
    var congestionControl: String?
}
