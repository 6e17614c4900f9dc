package import PawlPostgres

/// Decides whether a transaction that has had no effect runs again (pure).
package struct TransactionRetry: Sendable {
    /// The maximum number of repetitions after conflicts with other transactions.
    package static let mostConflicts = 5

    private var conflicts = 0
    private var losses = 0

    package init() {}

    /// Returns the time until the next attempt; `nil` if there is none.
    ///
    /// `random`: a number from 0 to 1, which keeps two transactions from meeting again.
    package mutating func delay(after error: PostgresError, random: Double) -> Duration? {
        switch error.kind {
        case .conflict where conflicts < Self.mostConflicts:
            conflicts += 1
            return .milliseconds(10 << conflicts) * random
        case .unreachable where losses == 0:
            // A connection that was not used for a while may be broken. The next attempt makes a
            // new one, whose failure is final.
            losses += 1
            return .zero
        default: return nil
        }
    }
}
