/// The number of connections that a loop keeps open to each origin without a transfer on them.
///
/// This is an estimate: libcurl drops the oldest connection when it keeps too many, and servers
/// close connections without notice. It serves to choose loops, and an error costs at most one
/// connection.
struct IdleConnections: Sendable {
    private static let originLimit = 1_024
    private var counts: [String: Int] = [:]

    func count(_ origin: String) -> Int { counts[origin] ?? 0 }

    mutating func add(_ origin: String) {
        // Forgetting costs at most one connection; growing without a limit costs memory.
        if counts.count >= Self.originLimit { counts.removeAll() }
        counts[origin, default: 0] += 1
    }

    mutating func remove(_ origin: String) {
        guard let count = counts[origin] else { return }
        counts[origin] = count > 1 ? count - 1 : nil
    }
}
