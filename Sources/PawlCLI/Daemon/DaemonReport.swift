internal import PawlCore
internal import PawlWire

/// What `daemon status` shows.
enum DaemonReport {
    static func text(_ status: DaemonStatus) -> String {
        var rows = [
            ("version", status.version),
            ("process", "\(status.processIdentifier)"),
            ("store", status.store),
            ("at a time", "\(status.maximumConcurrentDownloads)"),
            ("speed", ByteText.rate(Double(status.bytesPerSecond))),
        ]
        if let url = status.url { rows.insert(("api", url), at: 3) }
        if let problem = status.listenProblem { rows.insert(("api", "none: \(problem)"), at: 3) }
        for state in TaskState.allCases {
            if let count = status.counts[state.rawValue] { rows.append((state.word, "\(count)")) }
        }
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { "\($0.0.padded(toColumns: width))  \($0.1.sanitized)\n" }.joined()
    }
}

extension TaskState {
    /// The state for people.
    var word: String { self == .waitingForConnectivity ? "no network" : rawValue }
}
