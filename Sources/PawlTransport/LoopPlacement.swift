internal import struct FoundationEssentials.URL

/// Decides which loop runs a transfer.
///
/// A loop that has an idle connection to the origin comes first, so that no second one is opened
/// beside it; otherwise the loop with the fewest transfers. Among equals it is the one that last
/// served the origin.
package struct LoopPlacement: Sendable {
    private static let originLimit = 1_024
    private var lastLoops: [String: Int] = [:]

    package init() {}

    /// Returns an index of `loads`, which has at least one element, and as many as `idle`.
    package mutating func choose(for origin: String, loads: [Int], idle: [Int]) -> Int {
        let reusing = loads.indices.filter { idle[$0] > 0 }
        let candidates = reusing.isEmpty ? Array(loads.indices) : reusing
        let least = candidates.map { loads[$0] }.min() ?? 0
        var choice = candidates.first { loads[$0] == least } ?? 0
        if let last = lastLoops[origin], candidates.contains(last), loads[last] == least {
            choice = last
        }
        // Forgetting costs a connection at most, growing without end costs memory.
        if lastLoops.count >= Self.originLimit { lastLoops.removeAll() }
        lastLoops[origin] = choice
        return choice
    }
}

extension URL {
    /// Scheme, host and port: what connections can be shared within (RFC 6454 §4).
    var origin: String {
        let port = port.map { ":\($0)" } ?? ""
        return "\(scheme?.lowercased() ?? "")://\(host()?.lowercased() ?? "")\(port)"
    }
}
