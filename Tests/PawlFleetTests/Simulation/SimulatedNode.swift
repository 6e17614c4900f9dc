import PawlCore
import PawlFleet

/// A run of a node, which ends if the node loses what it is for.
protocol SimulatedRun: AnyObject {
    var claim: SimulatedClaim { get }
    var isEnded: Bool { get }
    func begin()
    func end()
}

/// A process `pawld` on a machine of its own.
final class SimulatedNode {
    /// The number of downloads that a node has, and that of stripes that it fetches: if they shared
    /// their slots, all could be downloads that wait for their stripes.
    private static let slots = 2

    let machine: Int
    private unowned let world: SimulatedWorld
    /// Grows with each start, so that nothing of an earlier process happens.
    private(set) var life = 0
    private(set) var pausedUntil = Moment.zero
    /// The end of each time in which the node does not reach a peer.
    private var cuts: [(peer: SimulatedWorld.Peer, until: Moment)] = []
    private let drift: Int64
    private let offset: Duration
    private var wallClock = Duration.zero

    private var planner = LeasePlanner()
    private var id: Int64? { planner.node }
    private var runs: [any SimulatedRun] = []
    private var isTaking = false
    private var isDraining = false
    private var ticks = 0

    init(machine: Int, world: SimulatedWorld) {
        self.machine = machine
        self.world = world
        drift = Int64(world.integer(-1_000...1_000))
        offset = .seconds(world.integer(0...100_000))
    }

    /// The time on the clock by which the lease is judged.
    private var clock: Moment {
        let time = world.now.nanoseconds
        let own = Moment(nanoseconds: time + time / 1_000_000 * drift) + offset
        return world.truth.bug == .wallClock ? own + wallClock : own
    }

    /// Whether the node may do something that lasts.
    var isTrusted: Bool { planner.isValid(at: clock) }

    // MARK: - Life and faults

    func begin() {
        planner = LeasePlanner()
        (runs, isTaking, isDraining) = ([], false, false)
        tick()
        work()
    }

    func kill(for duration: Duration) {
        for run in runs { run.end() }
        runs = []
        planner = LeasePlanner()
        life += 1
        world.truth.noteTrouble(of: machine, until: world.now + duration)
        let now = life
        world.schedule(in: duration) { [self] in if life == now { begin() } }
    }

    func pause(for duration: Duration) -> Duration {
        pausedUntil = max(pausedUntil, world.now + duration)
        world.truth.noteTrouble(of: machine, until: pausedUntil)
        return pausedUntil - world.now
    }

    func cutOff(from peer: SimulatedWorld.Peer, for duration: Duration) {
        cuts.append((peer, world.now + duration))
        if peer == .database {
            world.truth.noteTrouble(of: machine, until: world.now + duration)
        }
    }

    func reaches(_ peer: SimulatedWorld.Peer) -> Bool {
        !cuts.contains { $0.peer == peer && world.now < $0.until }
    }

    func setWallClock(by step: Duration) { wallClock += step }

    /// Gives back everything, and ends.
    func drain() {
        guard let id = id, world.now >= pausedUntil, !isDraining else { return }
        isDraining = true
        for run in runs { run.end() }
        runs = []
        transact({ $0.drain(id) }, then: { [self] _ in kill(for: world.seconds(1...20)) })
    }

    // MARK: - Requests

    /// Runs a transaction; `then` receives `nil` if its outcome is unknown.
    func transact<Reply>(
        _ perform: @escaping (SimulatedDatabase) -> Reply,
        then: @escaping (Reply?) -> Void
    ) {
        let database = world.database
        world.call(.database, from: self, within: .seconds(10), { perform(database) }, then: then)
    }

    /// Sends a request that has an effect on the store.
    func change<Reply>(
        _ perform: @escaping (SimulatedBucket) -> Reply,
        then: @escaping (Reply?) -> Void
    ) {
        if let id, !world.database.isAlive(id) {
            world.truth.report("a node acted although its lease was lost")
        }
        look(perform, then: then)
    }

    /// Sends a request to the store that changes nothing.
    func look<Reply>(
        _ perform: @escaping (SimulatedBucket) -> Reply,
        then: @escaping (Reply?) -> Void
    ) {
        let bucket = world.bucket
        world.call(.bucket, from: self, within: .seconds(20), { perform(bucket) }, then: then)
    }

    /// Does something later, while this process lives.
    func wait(_ range: ClosedRange<Double>, _ action: @escaping () -> Void) {
        world.schedule(in: world.seconds(range), on: self, action)
    }

    // MARK: - Lease

    private func tick() {
        guard !world.isOver else { return }
        ticks += 1
        let number = ticks
        for action in planner.tick(at: clock) { perform(action) }
        let wait = max(.milliseconds(1), min(.seconds(5), planner.wakeAt - clock))
        world.schedule(in: wait, on: self) { [self] in if number == ticks { tick() } }
    }

    private func perform(_ action: LeasePlanner.Action) {
        switch action {
        case .join(let attempt):
            let (database, machine) = (world.database, machine)
            let join = SimulatedJoin(life: life, number: attempt.number)
            ask({ database.join(machine: machine, join) }) { [self] answer in
                answered(attempt, answer ?? .failed)
            }
        case .renew(let attempt):
            guard let id else { return }
            let database = world.database
            ask({ database.renew(id) }) { [self] in answered(attempt, $0 ?? .failed) }
        // Runs ask `isTrusted` before each effect.
        case .suspend: world.truth.note(.leaseSuspended)
        case .resume: world.truth.note(.leaseResumed)
        case .end:
            for run in runs { run.end() }
            runs = []
        }
    }

    private func ask<Reply>(_ perform: @escaping () -> Reply, then: @escaping (Reply?) -> Void) {
        world.call(.database, from: self, within: nil, perform, then: then)
    }

    private func answered(_ attempt: LeasePlanner.Attempt, _ answer: LeasePlanner.Answer) {
        for action in planner.answered(attempt, answer, at: clock) { perform(action) }
        tick()
    }

    // MARK: - Work

    private func work() {
        guard !world.isOver else { return }
        world.schedule(in: world.seconds(0.9...1.1), on: self) { [self] in work() }
        runs.removeAll { $0.isEnded }
        guard let id, isTrusted, !isDraining else { return }
        let now = clock
        if let lease = planner.leaseForDeclaringLost(at: now) {
            transact({ $0.declareLost(by: id, lease: lease) }, then: { _ in })
        } else if world.truth.bug == .noGrace {
            transact({ $0.declareLost(by: id, lease: now) }, then: { _ in })
        }
        guard !isTaking else { return }
        let downloads = runs.count { $0.claim.stripe == nil }
        if downloads < Self.slots {
            take(id)
        } else {
            takeStripe(id)
        }
    }

    private func take(_ id: Int64) {
        isTaking = true
        let known = Set(runs.filter { $0.claim.stripe == nil }.map(\.claim.download))
        transact({ $0.take(id, known: known) }) { [self] claim in
            isTaking = false
            if let claim = claim ?? nil {
                start(claim, id)
            } else {
                takeStripe(id)
            }
        }
    }

    private func takeStripe(_ id: Int64) {
        guard runs.count(where: { $0.claim.stripe != nil }) < Self.slots else { return }
        isTaking = true
        let known = Set(runs.map(\.claim).filter { $0.stripe != nil })
        transact({ $0.takeStripe(id, known: known) }) { [self] claim in
            isTaking = false
            if let claim = claim ?? nil { start(claim, id) }
        }
    }

    private func start(_ claim: SimulatedClaim, _ id: Int64) {
        // It may be of an earlier lease.
        guard self.id == id, !isDraining else { return }
        runs.removeAll { run in
            guard run.claim.download == claim.download, run.claim.stripe == claim.stripe else {
                return false
            }
            run.end()
            return true
        }
        let run: any SimulatedRun =
            claim.stripe == nil
            ? DownloadRun(claim, node: self, world: world)
            : StripeRun(claim, node: self, world: world)
        runs.append(run)
        run.begin()
    }
}
