/// How many connections a loop keeps open to each origin without a transfer on them.
///
/// An estimate: libcurl drops the oldest when it keeps too many, and servers close connections
/// without a word. It serves to place transfers, and an error costs a connection at most.
struct IdleConnections: Sendable {
    private static let originLimit = 1_024
    private var counts: [String: Int] = [:]

    func count(_ origin: String) -> Int { counts[origin] ?? 0 }

    mutating func add(_ origin: String) {
        // Forgetting costs a connection at most, growing without end costs memory.
        if counts.count >= Self.originLimit { counts.removeAll() }
        counts[origin, default: 0] += 1
    }

    mutating func remove(_ origin: String) {
        guard let count = counts[origin] else { return }
        counts[origin] = count > 1 ? count - 1 : nil
    }
}
