import PawlCore
import PawlFleet

/// The database: each method is a transaction.
///
/// It knows who may write, and reports each write of somebody else that takes effect.
final class SimulatedDatabase {
    private let truth: SimulatedTruth
    private let bucket: SimulatedBucket
    private var nodes: [NodeRow] = []
    private(set) var downloads: [DownloadRow]
    private var lastEpoch = 0
    private var startedAt: Moment
    /// The deviation of its clock, in parts per million.
    private let drift: Int64
    private let planner: StripePlanner

    init(
        truth: SimulatedTruth,
        bucket: SimulatedBucket,
        planner: StripePlanner,
        drift: Int64
    ) {
        self.truth = truth
        self.bucket = bucket
        self.planner = planner
        self.drift = drift
        downloads = Array(repeating: DownloadRow(), count: truth.downloads)
        startedAt = .zero + .seconds(-60)
    }

    private var now: Moment {
        let time = truth.now.nanoseconds
        return Moment(nanoseconds: time + time / 1_000_000 * drift + 7_000_000_000)
    }

    /// Whether all downloads have ended.
    private(set) var isOver = false

    func restarted() { startedAt = now }

    func add(_ download: Int) { downloads[download].state = .waiting }

    // MARK: - Nodes

    /// Gives a machine a lease, which ends that of its earlier process.
    func join(machine: Int, _ join: SimulatedJoin) -> LeasePlanner.Answer {
        let rows = nodes.indices.filter { nodes[$0].machine == machine }
        let isLate = rows.contains { nodes[$0].joined >= join }
        guard !isLate || truth.bug == .lateJoin else { return .failed }
        for index in rows where nodes[index].state == .alive {
            release(index, as: .lost)
        }
        let until = now + LeasePlanner.length
        nodes.append(NodeRow(machine: machine, joined: join, leaseUntil: until))
        return .held(node: Int64(nodes.count), until: until)
    }

    func renew(_ id: Int64) -> LeasePlanner.Answer {
        guard isAlive(id) else { return .lost }
        let until = now + LeasePlanner.length
        nodes[Int(id) - 1].leaseUntil = until
        return .held(node: id, until: until)
    }

    /// The machine of the node that has a download.
    func owner(of download: Int) -> Int? {
        downloads[download].node.map { nodes[Int($0) - 1].machine }
    }

    func isAlive(_ id: Int64) -> Bool { nodes[Int(id) - 1].state == .alive }

    func declareLost(by id: Int64, lease: Moment) {
        guard isAlive(id) else { return }
        let policy = LostNodePolicy(
            databaseStartedAt: startedAt,
            namedLease: lease,
            ownLease: nodes[Int(id) - 1].leaseUntil
        )
        for index in nodes.indices where nodes[index].state == .alive && index != Int(id) - 1 {
            let until = nodes[index].leaseUntil
            let isLost =
                truth.bug == .noGrace ? until <= now : policy.isLost(leaseUntil: until, at: now)
            guard isLost else { continue }
            if !truth.hadTrouble(nodes[index].machine) {
                truth.report("a node was declared lost without trouble of its own")
            }
            release(index, as: .lost)
        }
    }

    func drain(_ id: Int64) {
        if isAlive(id) { release(Int(id) - 1, as: .gone) }
    }

    private func release(_ index: Int, as state: NodeRow.State) {
        nodes[index].state = state
        truth.note(state == .gone ? .nodeDrained : .nodeLost)
        let id = Int64(index + 1)
        for download in downloads.indices {
            if downloads[download].node == id {
                downloads[download].node = nil
                downloads[download].epoch = nextEpoch()
            }
            for stripe in downloads[download].stripes.indices
            where downloads[download].stripes[stripe].stripe.node == id {
                downloads[download].stripes[stripe].stripe.release()
                downloads[download].stripes[stripe].epoch = nextEpoch()
            }
        }
    }

    private func nextEpoch() -> Int {
        lastEpoch += 1
        return lastEpoch
    }

    // MARK: - Taking work

    /// Gives a node a download.
    ///
    /// If the answer to an earlier request was lost, the node owns one that it does not know.
    func take(_ id: Int64, known: Set<Int>) -> SimulatedClaim? {
        guard isAlive(id) else { return nil }
        let waiting = downloads.indices.filter { downloads[$0].state == .waiting }
        let index =
            waiting.first { downloads[$0].node == id && !known.contains($0) }
            ?? waiting.first { downloads[$0].node == nil }
        guard let index else { return nil }
        if downloads[index].node == id { truth.note(.forgottenClaimTakenAgain) }
        if downloads[index].epoch > 0 { truth.note(.downloadTakenOver) }
        downloads[index].node = id
        downloads[index].epoch = nextEpoch()
        downloads[index].takenAt = truth.now
        return SimulatedClaim(download: index, node: id, epoch: downloads[index].epoch)
    }

    func takeStripe(_ id: Int64, known: Set<SimulatedClaim>) -> SimulatedClaim? {
        guard isAlive(id) else { return nil }
        for (index, row) in downloads.enumerated() {
            guard row.state == .waiting, row.upload?.state == .open else { continue }
            let stripes = row.stripes.map(\.stripe)
            // One that the node has without knowing it.
            let mine = row.stripes.indices.first { stripe in
                stripes[stripe].node == id && stripes[stripe].parts.contains { !row.have[$0] }
                    && !known.contains(claim(index, stripe, id))
            }
            if let mine {
                // The node may have begun parts under the claim that it has forgotten.
                downloads[index].stripes[mine].stripe.release()
                return give(index, mine, to: id)
            }
            switch planner.next(stripes, have: row.have, node: id) {
            case .nothing: continue
            case .take(let stripe): return give(index, stripe, to: id)
            case .split(let stripe, let part):
                let halves = planner.split(stripes[stripe], at: part, for: id)
                downloads[index].stripes[stripe].stripe = halves.0
                downloads[index].stripes.append(StripeRow(stripe: halves.1, epoch: 0))
                truth.note(.stripeSplit)
                return give(index, row.stripes.count, to: id)
            }
        }
        return nil
    }

    private func give(_ download: Int, _ stripe: Int, to id: Int64) -> SimulatedClaim {
        if downloads[download].stripes[stripe].stripe.attempt > 0 { truth.note(.stripeTakenOver) }
        downloads[download].stripes[stripe].stripe.node = id
        downloads[download].stripes[stripe].epoch = nextEpoch()
        return claim(download, stripe, id)
    }

    private func claim(_ download: Int, _ stripe: Int, _ id: Int64) -> SimulatedClaim {
        let row = downloads[download].stripes[stripe]
        return SimulatedClaim(
            download: download,
            stripe: stripe,
            node: id,
            epoch: row.epoch,
            attempt: row.stripe.attempt
        )
    }

    // MARK: - Writing under a claim

    /// Returns the download if the claim is valid.
    func read(_ claim: SimulatedClaim) -> DownloadRow? {
        holds(claim) || truth.bug == .noFence ? downloads[claim.download] : nil
    }

    private func holds(_ claim: SimulatedClaim) -> Bool {
        let row = downloads[claim.download]
        guard row.state == .waiting else { return false }
        guard let stripe = claim.stripe else {
            return row.node == claim.node && row.epoch == claim.epoch
        }
        guard stripe < row.stripes.count else { return false }
        return row.stripes[stripe].stripe.node == claim.node
            && row.stripes[stripe].epoch == claim.epoch
    }

    /// Whether a write under the claim takes effect.
    private func admits(_ claim: SimulatedClaim) -> Bool {
        guard !holds(claim) else { return true }
        truth.note(.staleWriteRefused)
        guard truth.bug == .noFence else { return false }
        truth.report("a write of an old epoch took effect")
        return true
    }

    func recordUpload(_ claim: SimulatedClaim, _ upload: UploadRow) -> Bool {
        guard admits(claim), downloads[claim.download].upload == nil else { return false }
        let parts = truth.parts(claim.download, upload.version)
        let stripes = truth.grid(claim.download, upload.version).map(planner.stripes) ?? []
        downloads[claim.download].upload = upload
        downloads[claim.download].parts = Array(repeating: nil, count: parts)
        downloads[claim.download].stripes = stripes.map {
            StripeRow(stripe: $0, epoch: nextEpoch())
        }
        return true
    }

    func recordPart(_ claim: SimulatedClaim, upload: Int, part: Int, _ listed: SimulatedPart)
        -> Bool
    {
        let row = downloads[claim.download]
        guard admits(claim), row.upload?.id == upload, row.upload?.state == .open,
            let stripe = claim.stripe, stripe < row.stripes.count,
            row.stripes[stripe].stripe.parts.contains(part)
        else { return false }
        if row.parts[part] == nil {
            downloads[claim.download].parts[part] = PartRow(listed: listed, attempt: claim.attempt)
        }
        return true
    }

    func announceCompletion(_ claim: SimulatedClaim, list: [SimulatedPart]) {
        guard admits(claim), downloads[claim.download].upload?.state == .open,
            downloads[claim.download].isComplete
        else { return }
        downloads[claim.download].upload?.state = .completing
        downloads[claim.download].upload?.list = list
    }

    /// Forgets parts that the store does not have as they were recorded.
    func forgetParts(_ claim: SimulatedClaim, upload: Int, _ wrong: [Int]) {
        guard admits(claim), downloads[claim.download].upload?.id == upload else { return }
        downloads[claim.download].upload?.state = .open
        downloads[claim.download].upload?.list = nil
        for part in wrong { downloads[claim.download].parts[part] = nil }
        for stripe in downloads[claim.download].stripes.indices
        where wrong.contains(where: downloads[claim.download].stripes[stripe].stripe.parts.contains)
        {
            downloads[claim.download].stripes[stripe].stripe.release()
            downloads[claim.download].stripes[stripe].epoch = nextEpoch()
        }
    }

    func beginAbort(_ claim: SimulatedClaim, upload: Int) {
        guard admits(claim), downloads[claim.download].upload?.id == upload,
            downloads[claim.download].upload?.state == .open
        else { return }
        downloads[claim.download].upload?.state = .aborting
    }

    func forgetUpload(_ claim: SimulatedClaim, upload: Int) {
        guard admits(claim), downloads[claim.download].upload?.id == upload else { return }
        bucket.mustNotBeOpen(upload)
        downloads[claim.download].upload = nil
        downloads[claim.download].parts = []
        downloads[claim.download].stripes = []
    }

    func end(_ claim: SimulatedClaim, as state: DownloadRow.State, with mark: ObjectMark?) {
        guard admits(claim) else { return }
        downloads[claim.download].object = mark
        downloads[claim.download].state = state
        downloads[claim.download].ends += 1
        isOver = downloads.allSatisfy { $0.ends > 0 }
        bucket.expectObject(of: claim.download, mark: mark, state)
    }

    /// Returns the recorded part that has a number of an upload.
    func recordedPart(upload: Int, number: Int) -> PartRow? {
        for row in downloads where row.upload?.id == upload {
            return row.parts.first { $0?.listed.number == number } ?? nil
        }
        return nil
    }
}
