import PawlCore
import PawlFleet

/// A fleet with its database, its object store and its sources, for a time in which everything
/// fails sometimes.
///
/// The seed determines everything that happens.
final class SimulatedWorld {
    enum Peer { case database, bucket, origin }

    private struct Event {
        /// The node to which it happens, and its life.
        var node: SimulatedNode?
        var life: Int
        var action: () -> Void
    }

    /// The time until which there are faults.
    private static let troubleEnd = Moment.zero + .seconds(100)
    /// The time by which every download must have ended.
    private static let latestEnd = Moment.zero + .seconds(1_200)
    /// The longest time that a request takes.
    static let longestDelay = 60.0

    let truth: SimulatedTruth
    let database: SimulatedDatabase
    let bucket: SimulatedBucket
    private(set) var nodes: [SimulatedNode] = []
    /// The time at which a node was killed for ever, if that is the only fault.
    private(set) var killedAt: Moment?
    private let hasFaults: Bool
    private(set) var random: SplitMix64
    private var events = EventQueue<Event>()
    private var eventCount = 0
    /// Until then, the database does what it is asked later.
    private var hangsUntil = Moment.zero
    /// Until then, nobody can connect to the database.
    private var downUntil = Moment.zero

    init(seed: UInt64, bug: SeededBug? = nil, hasFaults: Bool = true) {
        var random = SplitMix64(seed: seed)
        self.hasFaults = hasFaults
        let machines = Int.random(in: 2...4, using: &random)
        truth = SimulatedTruth(machines: machines, bug: bug, random: &random)
        bucket = SimulatedBucket(
            truth: truth,
            hasTagsOfContents: Bool.random(using: &random)
        )
        let parts = Int64.random(in: 4...12, using: &random)
        database = SimulatedDatabase(
            truth: truth,
            bucket: bucket,
            planner: StripePlanner(
                threshold: parts * SimulatedTruth.partBytes,
                begunParts: Int.random(in: 1...2, using: &random)
            ),
            drift: Int64.random(in: -200...200, using: &random)
        )
        self.random = random
        nodes = (0..<machines).map { SimulatedNode(machine: $0, world: self) }
    }

    var now: Moment { truth.now }
    /// Whether nothing is left to do for the nodes; late requests still arrive.
    var isOver: Bool { database.isOver }

    /// What has happened, as a text that two runs with one seed must have in common.
    var summary: String { "\(eventCount) events, \(database.downloads)" }

    /// Runs until all downloads have ended and all requests have arrived.
    func run() {
        for node in nodes { schedule(in: .milliseconds(integer(0...3_000))) { node.begin() } }
        for download in 0..<truth.downloads {
            schedule(in: .seconds(integer(0...60))) { [self] in database.add(download) }
        }
        if hasFaults { planFaults() } else { killOwner() }
        while let (moment, event) = events.popFirst(), moment < Self.latestEnd {
            truth.advance(to: moment)
            eventCount += 1
            happen(event)
        }
        // Events hold the nodes.
        events = EventQueue()
        for (index, row) in database.downloads.enumerated() {
            if row.state == .waiting { truth.report("download \(index) did not end") }
            if row.ends > 1 { truth.report("download \(index) ended \(row.ends) times") }
            if row.state == .finished {
                bucket.expectObject(of: index, mark: row.object, .finished)
            }
        }
    }

    private func happen(_ event: Event) {
        guard let node = event.node else { return event.action() }
        guard node.life == event.life else { return }
        guard now < node.pausedUntil else { return event.action() }
        events.insert(event, at: node.pausedUntil)
    }

    // MARK: - Chance

    func chance(_ probability: Double) -> Bool {
        Double.random(in: 0..<1, using: &random) < probability
    }

    func integer(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    func seconds(_ range: ClosedRange<Double>) -> Duration {
        .nanoseconds(Int64(Double.random(in: range, using: &random) * 1e9))
    }

    // MARK: - Time and network

    /// Does something later; on a node, only if it is still in the same life.
    func schedule(
        in duration: Duration,
        on node: SimulatedNode? = nil,
        _ action: @escaping () -> Void
    ) {
        let event = Event(node: node, life: node?.life ?? 0, action: action)
        events.insert(event, at: now + duration)
    }

    private final class Exchange {
        var isOver = false
    }

    /// Sends a request of a node; `then` receives the answer, or `nil` if there is none in time.
    func call<Reply>(
        _ peer: Peer,
        from node: SimulatedNode,
        within timeout: Duration?,
        _ perform: @escaping () -> Reply,
        then: @escaping (Reply?) -> Void
    ) {
        let exchange = Exchange()
        let answer = { (reply: Reply?) in
            guard !exchange.isOver else { return }
            exchange.isOver = true
            then(reply)
        }
        if let timeout { schedule(in: timeout, on: node) { answer(nil) } }
        var delay = latency(peer, node)
        // A node may be stopped between a check and the request that follows it.
        if peer != .database, isTroubled, chance(0.004) {
            delay += node.pause(for: seconds(1...40))
        }
        guard !isLost(peer, node) else { return }
        let life = node.life
        schedule(in: delay) { [self] in
            arrive(peer, from: node, life: life, perform, answer)
        }
        // A proxy repeats a request whose answer it did not receive.
        if peer == .bucket, isTroubled, chance(0.02) {
            schedule(in: delay + seconds(0...Self.longestDelay)) { _ = perform() }
        }
    }

    private func arrive<Reply>(
        _ peer: Peer,
        from node: SimulatedNode,
        life: Int,
        _ perform: @escaping () -> Reply,
        _ answer: @escaping (Reply?) -> Void
    ) {
        if peer == .database {
            if now < downUntil {
                return node.life == life ? schedule(in: .zero, on: node) { answer(nil) } : ()
            }
            if now < hangsUntil {
                return schedule(in: hangsUntil - now) { [self] in
                    arrive(peer, from: node, life: life, perform, answer)
                }
            }
        }
        let reply = perform()
        guard !isLost(peer, node), node.life == life else { return }
        schedule(in: latency(peer, node), on: node) { answer(reply) }
    }

    private var isTroubled: Bool { hasFaults && now < Self.troubleEnd }

    private func isLost(_ peer: Peer, _ node: SimulatedNode) -> Bool {
        let isLost = !node.reaches(peer) || isTroubled && chance(0.01)
        if isLost, peer == .database { truth.noteTrouble(of: node.machine, until: now) }
        return isLost
    }

    private func latency(_ peer: Peer, _ node: SimulatedNode) -> Duration {
        guard isTroubled else { return seconds(0.001...0.2) }
        switch peer {
        case .database:
            guard chance(0.03) else { return seconds(0.001...0.02) }
            truth.noteTrouble(of: node.machine, until: now + .seconds(12))
            return seconds(0.02...12)
        case .origin: return chance(0.05) ? seconds(0.5...8) : seconds(0.05...1.5)
        case .bucket:
            if chance(0.02) { return seconds(1...Self.longestDelay) }
            return chance(0.05) ? seconds(0.2...15) : seconds(0.02...0.5)
        }
    }

    // MARK: - Faults

    private func planFaults() {
        var moment = 0.0
        let pause = Double.random(in: 3...30, using: &random)
        while true {
            moment += Double.random(in: 0...pause * 2, using: &random)
            guard Moment.zero + .seconds(moment) < Self.troubleEnd else { return }
            let kind = integer(0...9)
            let duration = seconds(chance(0.5) ? 0.5...8 : 8...50)
            schedule(in: .seconds(moment)) { [self] in happen(fault: kind, for: duration) }
        }
    }

    /// Kills the owner of the first download, as soon as all nodes have been there for a while.
    private func killOwner() {
        schedule(in: .seconds(1)) { [self] in
            guard now > .zero + .seconds(30), let owner = database.owner(of: 0) else {
                return isOver ? () : killOwner()
            }
            killedAt = now
            nodes[owner].kill(for: .seconds(10_000))
        }
    }

    private func happen(fault: Int, for duration: Duration) {
        let node = nodes[integer(0...nodes.count - 1)]
        let download = integer(0...truth.downloads - 1)
        switch fault {
        case 0, 1: _ = node.pause(for: duration)
        case 2: node.kill(for: duration)
        case 3: node.cutOff(from: .database, for: duration)
        case 4: node.cutOff(from: [.bucket, .origin][integer(0...1)], for: duration)
        case 5: hangsUntil = max(hangsUntil, now + duration)
        case 6:
            downUntil = max(downUntil, now + duration)
            schedule(in: duration) { [self] in database.restarted() }
        case 7: truth.change(download)
        case 8: if chance(0.3) { bucket.putForeign(download) } else { node.drain() }
        default: node.setWallClock(by: seconds(chance(0.5) ? -60...60 : -4_000...4_000))
        }
    }
}
