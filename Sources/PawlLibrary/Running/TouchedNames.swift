internal import PawlCore

/// The names that downloads have touched during a check of the folder.
struct TouchedNames {
    typealias Check = UInt64

    private var checks: [Check: Set<ExactText>] = [:]
    private var lastCheck: Check = 0

    mutating func begin() -> Check {
        lastCheck += 1
        checks[lastCheck] = []
        return lastCheck
    }

    mutating func end(_ check: Check) { checks[check] = nil }

    mutating func add(_ names: Set<ExactText>) {
        for check in checks.keys { checks[check]?.formUnion(names) }
    }

    /// Returns the names since the check began, or since the last call.
    mutating func take(_ check: Check) -> Set<ExactText> {
        defer { checks[check] = [] }
        return checks[check] ?? []
    }
}
