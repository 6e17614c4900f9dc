package import PawlCore

/// When a loop that is kept busy shows what it has gathered, though more is likely to come at once: a
/// slow transfer's bytes must not wait for a pause of a fast one.
package struct ShowingPace: Sendable {
    package static let interval: Duration = .milliseconds(100)

    /// Since when something may be waiting; nil where nothing is.
    private var since: Moment?

    package init() {}

    /// Asked at each turn of a busy loop; `borrowers` are the transfers that gather.
    package mutating func isDue(borrowers: Int, at now: @autoclosure () -> Moment) -> Bool {
        // One alone is what keeps the loop busy, and fills its buffer soon.
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
