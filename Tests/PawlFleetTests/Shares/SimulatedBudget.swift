import PawlCore
import PawlFleet

/// Nodes that share a budget, with slow and lost answers, pauses and kills.
struct SimulatedBudget {
    /// A mistake that the simulation has to find.
    enum Bug: CaseIterable, Sendable {
        /// A node uses its share after its end.
        case usedAfterEnd
        /// A node gets its fair share before others have given it up.
        case grantedTooEarly
        /// A late request has an effect.
        case lateRequest
    }

    private struct Message {
        var at: Double
        var node: Int
        var request: SharePolicy.Request
        var answer: SharePolicy.Share?
        var isLost: Bool
    }

    private struct Node {
        var held = HeldShare()
        /// The deviation of its clock, in parts per million.
        var drift: Double
        var wanted: Double
        var inUse = 0.0
        var nextRequest: Double
        /// The time of the last answer.
        var answeredAt = Moment.zero
        var pausedUntil = 0.0
        var isAlive = true
    }

    static let step = 0.1

    let policy: SharePolicy
    /// Whether answers are slow or lost, and nodes are stopped.
    let isTroubled: Bool
    private let bug: Bug?
    /// What nodes used together in each step.
    private(set) var used: [Double] = []
    private var random: SplitMix64
    private var nodes: [Node]
    private var shares: [SharePolicy.Share] = []
    private var messages: [Message] = []
    private var now = 1.0

    init(
        _ policy: SharePolicy,
        nodes count: Int,
        isTroubled: Bool,
        seed: UInt64,
        bug: Bug? = nil
    ) {
        var random = SplitMix64(seed: seed)
        self.bug = bug
        self.policy = policy
        self.isTroubled = isTroubled
        nodes = (0..<count).map { _ in
            Node(
                drift: Double.random(in: -500...500, using: &random),
                wanted: policy.limit,
                nextRequest: Double.random(in: 1...3, using: &random)
            )
        }
        self.random = random
    }

    mutating func kill(_ node: Int) { nodes[node].isAlive = false }

    /// What each node uses now.
    var inUse: [Double] { nodes.map(\.inUse) }

    /// Forgets what was used so far.
    mutating func forgetUse() { used = [] }

    mutating func run(seconds: Double) {
        for _ in 0..<Int(seconds / Self.step) {
            now += Self.step
            deliver()
            for node in nodes.indices where nodes[node].isAlive { act(node) }
            used.append(nodes.filter(\.isAlive).reduce(0) { $0 + $1.inUse })
        }
    }

    /// The least and the most that was used within a minute, as parts of the budget.
    var minutes: (least: Double, most: Double) {
        let window = Int(60 / Self.step)
        var sum = used.prefix(window).reduce(0, +)
        var (least, most) = (sum, sum)
        for index in window..<used.count {
            sum += used[index] - used[index - window]
            (least, most) = (min(least, sum), max(most, sum))
        }
        let whole = policy.limit * Double(window)
        return (least / whole, most / whole)
    }

    private func clock(_ node: Int) -> Moment {
        .zero + .seconds(now * (1 + nodes[node].drift / 1e6) + Double(node) * 1_000)
    }

    private mutating func deliver() {
        let moment = now
        let due = messages.filter { $0.at <= moment }
        messages.removeAll { $0.at <= moment }
        for message in due {
            if let answer = message.answer {
                receive(answer, message)
            } else if let share = carryOut(message), !message.isLost {
                var answer = message
                answer.answer = share
                answer.at = now + delay()
                messages.append(answer)
            }
        }
    }

    /// The transaction.
    private mutating func carryOut(_ message: Message) -> SharePolicy.Share? {
        let (node, moment) = (Int64(message.node), Moment.zero + .seconds(now))
        var request = message.request
        if bug == .lateRequest, let own = shares.first(where: { $0.node == node }) {
            request.sequence = max(request.sequence, own.sequence + 1)
        }
        guard
            var share = policy.share(of: node, for: request, shares: shares, at: moment)
        else { return nil }
        if bug == .grantedTooEarly { share.granted = share.target }
        share.sequence = message.request.sequence
        shares.removeAll { $0.node == node }
        shares.append(share)
        return share
    }

    private mutating func receive(_ answer: SharePolicy.Share, _ message: Message) {
        guard nodes[message.node].isAlive else { return }
        guard now < nodes[message.node].pausedUntil else {
            nodes[message.node].answeredAt = clock(message.node)
            return nodes[message.node].held.answered(answer)
        }
        var later = message
        later.at = nodes[message.node].pausedUntil
        messages.append(later)
    }

    private mutating func delay() -> Double {
        guard isTroubled, Int.random(in: 0..<10, using: &random) == 0 else { return 0.05 }
        return Double.random(in: 0...8, using: &random)
    }

    private mutating func act(_ node: Int) {
        guard now >= nodes[node].pausedUntil else {
            // A stopped process receives nothing.
            nodes[node].inUse = 0
            return
        }
        if isTroubled, Int.random(in: 0..<600, using: &random) == 0 {
            nodes[node].pausedUntil = now + Double.random(in: 0...20, using: &random)
        }
        if isTroubled, Int.random(in: 0..<200, using: &random) == 0 {
            let wanted = Double.random(in: 0...policy.limit, using: &random)
            nodes[node].wanted = policy.isWhole ? wanted.rounded() : wanted
        }
        use(node)
        guard now >= nodes[node].nextRequest else { return }
        nodes[node].nextRequest = now + SharePolicy.renewalInterval.seconds
        let request = nodes[node].held.request(
            wanted: nodes[node].wanted,
            inUse: policy.isWhole ? nodes[node].inUse : 0,
            at: clock(node)
        )
        let isLost = isTroubled && Int.random(in: 0..<20, using: &random) == 0
        messages.append(
            Message(at: now + delay(), node: node, request: request, answer: nil, isLost: isLost)
        )
    }

    /// Connections above the share end one after the other; without a share, all end at once.
    private mutating func use(_ node: Int) {
        let moment = bug == .usedAfterEnd ? nodes[node].answeredAt : clock(node)
        let usable = nodes[node].held.usable(at: moment)
        let wanted = min(usable, nodes[node].wanted)
        let inUse = nodes[node].inUse
        guard policy.isWhole, usable > 0, inUse > wanted else {
            nodes[node].inUse = wanted
            return
        }
        if Int.random(in: 0..<5, using: &random) == 0 { nodes[node].inUse = inUse - 1 }
    }
}
