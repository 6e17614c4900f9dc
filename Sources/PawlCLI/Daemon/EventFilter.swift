internal import PawlCore
package import PawlWire

/// Which events `pawl events` shows.
package struct EventFilter: Sendable {
    /// IDs, names and name patterns; empty for all downloads.
    package var targets: [String] = []
    package var session: String?
    /// The targets that no event has matched so far.
    package private(set) var unmatched: Set<String>

    package init(targets: [String], session: String?) {
        (self.targets, self.session) = (targets, session)
        unmatched = Set(targets)
    }

    package var isAll: Bool { targets.isEmpty && session == nil }

    package mutating func shows(_ event: WireEvent) -> Bool {
        guard !isAll else { return true }
        guard let id = event.download,
            session.map({ event.session?.isExactly($0) == true }) ?? true
        else { return false }
        let matching = targets.filter { Self.matches(id, event.name, $0) }
        unmatched.subtract(matching)
        return targets.isEmpty || !matching.isEmpty
    }

    /// The progress of the matching downloads.
    ///
    /// Progress does not contain sessions.
    package func shown(_ progress: WireProgress) -> WireProgress {
        guard !targets.isEmpty else { return progress }
        return WireProgress(
            progress.downloads.filter { row in
                targets.contains { Self.matches(row.id, row.name, $0) }
            }
        )
    }

    private static func matches(_ id: Int64, _ name: String, _ target: String) -> Bool {
        target == "\(id)" || NamePattern.matches(target, name)
    }
}
