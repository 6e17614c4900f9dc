/// The codes for which a browser gets its cookie: each is valid once, and for a short time.
package struct LoginCodes: Sendable {
    private var codes: [(code: SecretText, until: ContinuousClock.Instant)] = []

    package static let validity: Duration = .seconds(600)
    private static let most = 16

    package init() {}

    /// Adds a code; the oldest one is dropped if there are too many.
    package mutating func add(_ code: String, at now: ContinuousClock.Instant) {
        codes.removeAll { $0.until <= now }
        if codes.count >= Self.most { codes.removeFirst() }
        codes.append((SecretText(code), now.advanced(by: Self.validity)))
    }

    /// Redeems a code, which is invalid from now on; returns whether it was valid.
    package mutating func redeem(_ code: String, at now: ContinuousClock.Instant) -> Bool {
        codes.removeAll { $0.until <= now }
        guard let index = codes.firstIndex(where: { $0.code.matches(code) }) else { return false }
        codes.remove(at: index)
        return true
    }
}
