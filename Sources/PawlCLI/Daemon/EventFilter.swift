package import PawlWire

/// Which events `pawl events` shows.
package struct EventFilter: Sendable {
    /// Ids, names and patterns of names; none is all.
    package var targets: [String] = []
    package var session: String?
    /// Those that no event has met yet.
    package private(set) var unmet: Set<String>

    package init(targets: [String], session: String?) {
        (self.targets, self.session) = (targets, session)
        unmet = Set(targets)
    }

    package var isAll: Bool { targets.isEmpty && session == nil }

    package mutating func shows(_ event: WireEvent) -> Bool {
        guard !isAll else { return true }
        guard let id = event.download, session == nil || event.session == session else {
            return false
        }
        let met = targets.filter { Self.isMeant(id, event.name, by: $0) }
        unmet.subtract(met)
        return targets.isEmpty || !met.isEmpty
    }

    /// Of what runs, as far as it is meant; a session is not told with it.
    package func shown(_ progress: WireProgress) -> WireProgress {
        guard !targets.isEmpty else { return progress }
        return WireProgress(
            progress.downloads.filter { row in
                targets.contains { Self.isMeant(row.id, row.name, by: $0) }
            }
        )
    }

    private static func isMeant(_ id: Int64, _ name: String, by target: String) -> Bool {
        target == "\(id)" || NamePattern.matches(target, name)
    }
}
