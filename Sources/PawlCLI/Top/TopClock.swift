package import PawlCore

/// Decides when `pawl top` draws its screen again (pure).
package struct TopClock: Sendable {
    private var isChanged = true
    private var nextMoment = Moment.zero

    /// The time after which the screen is drawn again even if nothing has changed: it shows how much
    /// time has passed.
    private static let interval: Duration = .milliseconds(500)

    package init() {}

    /// Handles that what is shown has changed.
    package mutating func changed() { isChanged = true }

    /// Returns whether the screen is to be drawn now.
    package mutating func takesTurn(at now: Moment) -> Bool {
        guard isChanged || now >= nextMoment else { return false }
        isChanged = false
        nextMoment = now + Self.interval
        return true
    }
}
