/// Decides which requests of clients without a token get a line in the audit log (pure).
///
/// Otherwise, such a client could push all other lines out of the log.
package struct AuditAllowance: Sendable {
    private var start: ContinuousClock.Instant?
    private var count = 0
    private var omitted = 0

    package static let most = 60
    package static let period: Duration = .seconds(60)

    package init() {}

    /// Returns the number of lines that were left out since the last one; `nil` if this one is left
    /// out, too.
    package mutating func take(at now: ContinuousClock.Instant) -> Int? {
        if start.map({ now - $0 >= Self.period }) ?? true { (start, count) = (now, 0) }
        guard count < Self.most else {
            omitted += 1
            return nil
        }
        count += 1
        defer { omitted = 0 }
        return omitted
    }
}
