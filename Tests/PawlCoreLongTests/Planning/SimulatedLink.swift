import PawlCore

/// A link that all connections of a simulated download share, with TCP's slow start.
struct SimulatedLink {
    let bytesPerSecond: Double
    let roundTrip: Duration
    /// The speed at which the server sends over each connection.
    private let perConnection: Double
    /// The time whose bytes the server sends at once at the beginning of each response (nginx).
    private let burst: Duration
    private var flows: [TransferID: Flow] = [:]
    /// The windows of connections whose response has ended.
    private var freeWindows: [Double] = []
    /// The bytes of closed connections that are still on their way.
    private var stray = 0.0
    private var isFull = false

    private struct Flow {
        var window = SimulatedLink.firstWindow
        var isGrowing = true
        /// The number of bytes that the server may send now.
        var allowance: Double
        var unsent = 0.0
    }

    static let step: Duration = .milliseconds(5)
    private static let firstWindow = 14_480.0

    init(
        bytesPerSecond: Double,
        roundTrip: Duration,
        perConnection: Double = .infinity,
        burst: Duration = .zero
    ) {
        (self.bytesPerSecond, self.roundTrip) = (bytesPerSecond, roundTrip)
        (self.perConnection, self.burst) = (min(perConnection, bytesPerSecond * 1e3), burst)
    }

    /// The time to establish a connection: a full link has a queue of one round trip.
    var connectTime: Duration { isFull ? roundTrip * 2 : roundTrip }

    /// Begins a response.
    mutating func begin(_ id: TransferID, isReused: Bool) {
        var flow = Flow(allowance: perConnection * burst.seconds)
        if isReused, let window = freeWindows.popLast() { flow.window = window }
        flows[id] = flow
    }

    /// Ends a response of which `left` bytes have not been received.
    mutating func end(_ id: TransferID, left: Int64) {
        guard let flow = flows.removeValue(forKey: id) else { return }
        if left == 0 { return freeWindows.append(flow.window) }
        stray += min(flow.window, Double(left))
    }

    /// Returns the number of bytes that each connection receives in one step.
    mutating func send() -> [TransferID: Int64] {
        let step = Self.step.seconds
        let rounds = step / roundTrip.seconds
        var wanted: [TransferID: Double] = [:]
        for id in flows.keys {
            flows[id]?.allowance += perConnection * step
            guard let flow = flows[id] else { continue }
            wanted[id] = min(flow.allowance, flow.window * rounds)
        }
        let capacity = bytesPerSecond * step
        let drained = min(stray, capacity / 2)
        stray -= drained
        let total = wanted.values.reduce(0, +)
        isFull = total > capacity - drained
        let share = isFull ? (capacity - drained) / total : 1
        return wanted.reduce(into: [:]) { sent, item in
            guard var flow = flows[item.key] else { return }
            let bytes = item.value * share
            let isLimited = flow.allowance <= flow.window * rounds
            let fair = capacity / rounds / Double(wanted.count)
            // A connection on a full link stops growing when it has its share.
            if isFull, flow.window >= fair { flow.isGrowing = false }
            if !isLimited, !isFull || flow.window < fair {
                flow.window *= 1 + (flow.isGrowing ? 1 : 0.25) * min(rounds, 1)
            } else if isFull, flow.window > fair {
                flow.window = max(fair, flow.window * (1 - 0.25 * min(rounds, 1)))
            }
            flow.allowance -= bytes
            flow.unsent += bytes
            let whole = flow.unsent.rounded(.down)
            flow.unsent -= whole
            flows[item.key] = flow
            sent[item.key] = Int64(whole)
        }
    }
}
