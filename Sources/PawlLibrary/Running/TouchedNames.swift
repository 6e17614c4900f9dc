/// The names that downloads have touched during a check of the folder.
struct TouchedNames {
    typealias Look = UInt64

    private var looks: [Look: Set<String>] = [:]
    private var lastLook: Look = 0

    mutating func begin() -> Look {
        lastLook += 1
        looks[lastLook] = []
        return lastLook
    }

    mutating func end(_ look: Look) { looks[look] = nil }

    mutating func add(_ names: Set<String>) {
        for look in looks.keys { looks[look]?.formUnion(names) }
    }

    /// Returns the names since the check began, or since the last call.
    mutating func take(_ look: Look) -> Set<String> {
        defer { looks[look] = [] }
        return looks[look] ?? []
    }
}
