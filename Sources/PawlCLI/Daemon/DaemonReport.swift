internal import PawlCore
internal import PawlWire

/// The output of `pawl daemon status`.
enum DaemonReport {
    static func text(_ status: DaemonStatus) -> String {
        var rows = [
            ("version", status.version),
            ("process", "\(status.processIdentifier)"),
            ("store", status.store),
            ("downloads", "\(status.maximumConcurrentDownloads) at a time"),
            ("speed", ByteText.rate(Double(status.bytesPerSecond))),
        ]
        if let problem = status.storeProblem { rows.insert(("problem", problem), at: 3) }
        if let url = status.url { rows.insert(("api", url), at: 3) }
        if let url = status.baseURL { rows.insert(("proxy", url), at: 3) }
        if let problem = status.listenProblem {
            rows.insert(("api", "not available: \(problem)"), at: 3)
        }
        if let url = status.aria2URL { rows.append(("aria2", url)) }
        if let problem = status.aria2Problem {
            rows.append(("aria2", "not available: \(problem)"))
        }
        for state in TaskState.allCases {
            if let count = status.counts[state.rawValue] { rows.append((state.word, "\(count)")) }
        }
        return .table(rows)
    }
}

extension TaskState {
    /// The state as it is displayed.
    var word: String { self == .waitingForConnectivity ? "no network" : rawValue }
}
