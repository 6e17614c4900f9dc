import PawlCore

/// The schedule by which the bytes of one body are sent.
struct BodyPace {
    private let bytesPerSecond: Int64?
    private let link: SharedLink?
    private var start: Moment?
    private var sent: Int64 = 0

    init(bytesPerSecond: Int64?, link: SharedLink?) {
        self.bytesPerSecond = bytesPerSecond.map { max(1, $0) }
        self.link = link
    }

    /// The maximum number of bytes to send at once: 20 ms' worth.
    var sliceBytes: Int64 {
        min(bytesPerSecond.map { max(1, $0 / 50) } ?? .max, link?.sliceBytes ?? .max)
    }

    /// Returns the moment at which the next bytes may be sent, or `nil` for at once.
    mutating func moment(for count: Int64, now: Moment) -> Moment? {
        guard bytesPerSecond != nil || link != nil else { return nil }
        let own = ownMoment(now: now)
        sent += count
        guard let link else { return own }
        return max(own, link.reserve(count, now: max(own, now)))
    }

    private mutating func ownMoment(now: Moment) -> Moment {
        guard let bytesPerSecond else { return now }
        let begun = start ?? now
        start = begun
        let due = begun + .seconds(Double(sent) / Double(bytesPerSecond))
        // A client that pauses its reads must not get the missed bytes as a burst.
        let late = now - due
        if late > .milliseconds(100) {
            start = begun + late
            return now
        }
        return due
    }
}
