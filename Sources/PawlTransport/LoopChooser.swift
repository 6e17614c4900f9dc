internal import struct FoundationEssentials.URL

/// Decides which loop runs a transfer.
///
/// A loop that has an idle connection to the origin comes first, so that no second connection is
/// opened beside it. Otherwise the loop with the fewest transfers is chosen, and among equals the
/// one that last served the origin.
package struct LoopChooser: Sendable {
    private static let originLimit = 1_024
    private var lastLoops: [String: Int] = [:]

    package init() {}

    /// Returns an index of `loads`.
    ///
    /// `loads` has at least one element, and `idle` has as many.
    package mutating func choose(for origin: String, loads: [Int], idle: [Int]) -> Int {
        let reusing = loads.indices.filter { idle[$0] > 0 }
        let candidates = reusing.isEmpty ? Array(loads.indices) : reusing
        let least = candidates.map { loads[$0] }.min() ?? 0
        var choice = candidates.first { loads[$0] == least } ?? 0
        if let last = lastLoops[origin], candidates.contains(last), loads[last] == least {
            choice = last
        }
        // Forgetting costs at most one connection; growing without a limit costs memory.
        if lastLoops.count >= Self.originLimit { lastLoops.removeAll() }
        lastLoops[origin] = choice
        return choice
    }
}

extension URL {
    /// The scheme, host and port, within which connections can be shared (RFC 6454 §4).
    var origin: String {
        let port = port.map { ":\($0)" } ?? ""
        return "\(scheme?.lowercased() ?? "")://\(host()?.lowercased() ?? "")\(port)"
    }
}
