import PawlCore
import PawlFleet

/// A right to write, as a node remembers it.
struct SimulatedClaim: Hashable {
    var download: Int
    /// `nil` for the whole download.
    var stripe: Int?
    var node: Int64
    var epoch: Int
    /// The attempt at the parts of the stripe.
    var attempt = 0
}

struct SimulatedPart: Hashable {
    var number: Int
    var entityTag: Int
}

/// A request to join, in the order in which a machine sends them.
struct SimulatedJoin: Comparable {
    var life: Int
    var number: Int

    static func < (left: SimulatedJoin, right: SimulatedJoin) -> Bool {
        (left.life, left.number) < (right.life, right.number)
    }
}

struct NodeRow {
    enum State { case alive, gone, lost }

    /// The index of the node in the simulation.
    var machine: Int
    /// The process and the number of the request to join: a late one has no effect.
    var joined: SimulatedJoin
    var state = State.alive
    var leaseUntil: Moment
}

struct UploadRow {
    enum State { case open, completing, aborting }

    var id: Int
    var mark: ObjectMark
    var version: Int
    var state = State.open
    var list: [SimulatedPart]?
}

struct PartRow {
    var listed: SimulatedPart
    var attempt: Int
}

struct StripeRow {
    var stripe: Stripe
    var epoch: Int
}

struct DownloadRow {
    enum State { case absent, waiting, finished, conflict }

    var state = State.absent
    var node: Int64?
    var epoch = 0
    /// The time at which a node took it last.
    var takenAt = Moment.zero
    var upload: UploadRow?
    var parts: [PartRow?] = []
    var stripes: [StripeRow] = []
    /// The mark of the object with which it finished.
    var object: ObjectMark?
    /// The number of times that it ended.
    var ends = 0

    var have: [Bool] { parts.map { $0 != nil } }
    var isComplete: Bool { upload != nil && parts.allSatisfy { $0 != nil } }
    var recorded: [SimulatedPart] { parts.compactMap { $0?.listed } }
}
