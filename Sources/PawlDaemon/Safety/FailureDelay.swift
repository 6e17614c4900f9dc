package import PawlCore

/// The delay of the response to a wrong token; other responses are never delayed.
///
/// It grows for each client on its own.
package struct FailureDelay: Sendable {
    private struct Client {
        var failures = 0
        var last: ContinuousClock.Instant
    }

    /// By the address; an IPv6 network counts as one client.
    private var clients: [[UInt8]: Client] = [:]
    private var waiting = 0

    private static let first: Duration = .milliseconds(50)
    private static let most: Duration = .seconds(1)
    /// The time without a failure after which the delay starts again from its first value.
    private static let memory: Duration = .seconds(60)
    /// The maximum number of responses that are delayed at the same time; more are refused
    /// immediately.
    package static let mostWaiting = 64
    /// The maximum number of clients whose failures are known.
    package static let mostClients = 1000

    package init() {}

    /// Returns the delay for a wrong token; `nil` if too many responses are already delayed.
    ///
    /// After the delay, call `ended`.
    package mutating func failed(
        by address: IPAddress? = nil,
        at now: ContinuousClock.Instant
    ) -> Duration? {
        let key = address?.bytesOfClient ?? []
        var client = clients[key] ?? Client(last: now)
        if now - client.last > Self.memory { client.failures = 0 }
        client.last = now
        defer { clients[key] = client }
        makeRoom(for: key, at: now)
        guard waiting < Self.mostWaiting else { return nil }
        waiting += 1
        let delay = Self.first * Double(1 << min(client.failures, 10))
        client.failures += 1
        return min(delay, Self.most)
    }

    package mutating func ended() { waiting -= 1 }

    /// Forgets clients whose failures no longer count, and the oldest one if that is not enough.
    private mutating func makeRoom(for key: [UInt8], at now: ContinuousClock.Instant) {
        guard clients[key] == nil, clients.count >= Self.mostClients else { return }
        clients = clients.filter { now - $0.value.last <= Self.memory }
        guard clients.count >= Self.mostClients else { return }
        if let oldest = clients.min(by: { $0.value.last < $1.value.last }) {
            clients[oldest.key] = nil
        }
    }
}
