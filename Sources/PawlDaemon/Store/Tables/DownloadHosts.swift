internal import PawlCore
package import PawlWire

/// The unfinished downloads by the hosts of their URLs.
package struct DownloadHosts {
    private let database: any StoreConnection

    init(_ database: any StoreConnection) { self.database = database }

    /// The states of unfinished downloads.
    private static let states = TaskState.allCases.filter { !$0.isEnd }.map(\.rawValue)

    /// Returns the numbers of downloads per host and state, the largest first; then those of all
    /// other hosts together.
    ///
    /// - Parameters:
    ///   - rows: The number of downloads, by id, whose hosts are looked at. There may be millions,
    ///     and the hosts of further ones count as other hosts.
    ///   - hosts: The number of hosts that are counted one by one.
    ///   - counts: The number of downloads in each state.
    package func counts(
        readingAtMost rows: Int,
        hosts: Int,
        of counts: [String: Int]
    ) throws -> [WireHostQueue] {
        var found: [String: [String: Int]] = [:]
        try database.forEach(
            "SELECT state, url FROM download WHERE endedAt IS NULL ORDER BY id LIMIT ?",
            [.integer(Int64(rows))],
            isKept: true
        ) { row in
            let (state, url): (String, String) = (try row["state"], try row["url"])
            let host = AddressParts(url).host?.lowercased() ?? ""
            found[host, default: [:]][state, default: 0] += 1
        }
        let shown = found.map { host, counts in WireHostQueue(host, counts: counts) }
            .sorted { ($1.total, $0.host ?? "") < ($0.total, $1.host ?? "") }
            .prefix(hosts)
        var others: [String: Int] = [:]
        for state in Self.states {
            let counted = shown.reduce(0) { $0 + ($1.counts[state] ?? 0) }
            let rest = (counts[state] ?? 0) - counted
            if rest > 0 { others[state] = rest }
        }
        return Array(shown) + (others.isEmpty ? [] : [WireHostQueue(nil, counts: others)])
    }
}

extension WireHostQueue {
    fileprivate var total: Int { counts.values.reduce(0, +) }
}
