internal import PawlCore
package import PawlWire

/// Counts failures by kind and host, in bounded memory (pure).
package struct FailureTally: Sendable {
    private struct Key: Hashable {
        var kind: ErrorCode
        var host: String?
    }

    private var groups: [Key: WireFailureGroup] = [:]
    private let mostGroups: Int

    /// `mostGroups`: the number of groups after which the failures of further hosts are counted
    /// together, by their kind.
    package init(mostGroups: Int = 1000) { self.mostGroups = mostGroups }

    package mutating func add(_ failure: FailureTable.Failure) {
        var key = Key(kind: failure.kind, host: failure.host)
        if groups[key] == nil, groups.count >= mostGroups { key.host = nil }
        guard var group = groups[key] else {
            groups[key] = WireFailureGroup(
                key.kind,
                host: key.host,
                download: failure.download,
                title: failure.title
            )
            return
        }
        group.count += 1
        if failure.download >= group.download {
            (group.download, group.title) = (failure.download, failure.title)
        }
        groups[key] = group
    }

    /// The groups, the largest first.
    package var failures: WireFailures {
        WireFailures(
            groups.values.sorted { one, other in
                (other.count, one.kind.rawValue, one.host ?? "~")
                    < (one.count, other.kind.rawValue, other.host ?? "~")
            }
        )
    }
}
