package import PawlCore

/// Decides when a busy loop passes on the bytes that it has gathered, although more are likely to
/// follow at once.
///
/// The bytes of a slow transfer must not wait for a pause of a fast one.
package struct ShowingPace: Sendable {
    package static let interval: Duration = .milliseconds(100)

    /// The time since which bytes may be waiting; `nil` if none are.
    private var since: Moment?

    package init() {}

    /// Whether the bytes are due.
    ///
    /// Asked at each turn of a busy loop; `borrowers` is the number of transfers that gather bytes.
    package mutating func isDue(borrowers: Int, at now: @autoclosure () -> Moment) -> Bool {
        // A single transfer is what keeps the loop busy, so its buffer is soon full.
        guard borrowers > 1 else {
            since = nil
            return false
        }
        let now = now()
        let begin = since ?? now
        let isDue = now - begin >= Self.interval
        since = isDue ? now : begin
        return isDue
    }

    package mutating func allShown() { since = nil }
}
