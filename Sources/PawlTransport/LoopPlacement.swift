internal import struct FoundationEssentials.URL

/// Decides which loop runs a transfer: the idlest; among equals the one that last served the
/// origin, as it may still have a connection to it.
package struct LoopPlacement: Sendable {
    private static let originLimit = 1_024
    private var lastLoops: [String: Int] = [:]

    package init() {}

    /// An index of `loads`, which has at least one element.
    package mutating func choose(for origin: String, loads: [Int]) -> Int {
        let least = loads.min() ?? 0
        var choice = loads.firstIndex(of: least) ?? 0
        if let last = lastLoops[origin], last < loads.count, loads[last] == least {
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
