/// Codes with which a browser gets its cookie: each is good once, and for a short time.
package struct LoginCodes: Sendable {
    private var codes: [(code: SecretText, until: ContinuousClock.Instant)] = []

    package static let validity: Duration = .seconds(600)
    private static let most = 16

    package init() {}

    /// The oldest goes where there are many.
    package mutating func add(_ code: String, at now: ContinuousClock.Instant) {
        codes.removeAll { $0.until <= now }
        if codes.count >= Self.most { codes.removeFirst() }
        codes.append((SecretText(code), now.advanced(by: Self.validity)))
    }

    /// Whether it was good; from now on it is not.
    package mutating func take(_ code: String, at now: ContinuousClock.Instant) -> Bool {
        codes.removeAll { $0.until <= now }
        guard let index = codes.firstIndex(where: { $0.code.matches(code) }) else { return false }
        codes.remove(at: index)
        return true
    }
}
