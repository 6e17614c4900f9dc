/// A link between two networks.
struct LinkSettings {
    /// One way; both ways make the round trip.
    var delayMilliseconds: Double
    /// The share of packets that get lost.
    var loss: Double
    var bitsPerSecond: Int
    /// What waits for the link beyond this is dropped.
    var queueBytes: Int
    /// Of both ends; nil leaves the system's.
    var congestionControl: String?
}
