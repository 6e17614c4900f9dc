import PawlCore
import PawlFleet

/// Fetches the parts of a stripe, over two connections.
final class StripeRun: SimulatedRun {
    let claim: SimulatedClaim
    private(set) var isEnded = false
    private let node: SimulatedNode
    private unowned let world: SimulatedWorld
    private var upload: UploadRow?
    /// The parts that nobody has recorded or begun.
    private var waiting: [Int] = []
    private var begun = 0

    init(_ claim: SimulatedClaim, node: SimulatedNode, world: SimulatedWorld) {
        self.claim = claim
        self.node = node
        self.world = world
    }

    func end() { isEnded = true }

    func begin() {
        guard !isEnded else { return }
        let claim = claim
        node.transact({ ($0.read(claim), 0) }) { [self] answer in
            guard !isEnded else { return }
            guard let answer else { return node.wait(0.5...1.5) { [self] in begin() } }
            guard let row = answer.0, let upload = row.upload, upload.state == .open,
                let stripe = claim.stripe, stripe < row.stripes.count
            else { return end() }
            self.upload = upload
            waiting = row.stripes[stripe].stripe.parts.filter { row.parts[$0] == nil }
            if waiting.isEmpty { return end() }
            for _ in 0..<2 { fetchNext(upload) }
        }
    }

    private func fetchNext(_ upload: UploadRow) {
        guard !isEnded else { return }
        guard !waiting.isEmpty else {
            if begun == 0 { end() }
            return
        }
        begun += 1
        fetch(waiting.removeFirst(), upload)
    }

    private func again(_ action: @escaping () -> Void) {
        node.wait(0.5...1.5) { [self] in if !isEnded { action() } }
    }

    private func fetch(_ part: Int, _ upload: UploadRow) {
        guard node.isTrusted else { return again { [self] in fetch(part, upload) } }
        let (claim, truth) = (claim, world.truth)
        world.call(.origin, from: node, within: .seconds(10)) {
            truth.version(of: claim.download)
        } then: { [self] version in
            guard !isEnded else { return }
            guard let version else { return again { [self] in fetch(part, upload) } }
            let pinned = truth.representation(claim.download, upload.version)
            let seen = truth.representation(claim.download, version)
            if truth.bug == .unprovenStripe || StripePlanner().mayContribute(seen, to: pinned) {
                return send(part, upload, version)
            }
            node.transact({ $0.beginAbort(claim, upload: upload.id) }) { [self] answer in
                if answer == nil { again { [self] in fetch(part, upload) } } else { end() }
            }
        }
    }

    private func send(_ part: Int, _ upload: UploadRow, _ version: Int) {
        guard node.isTrusted else { return again { [self] in send(part, upload, version) } }
        let (claim, database) = (claim, world.database)
        let attempt = world.truth.bug == .reusedNumbers ? 0 : claim.attempt
        let number = world.truth.numbers(claim.download, upload.version)
            .number(of: part, attempt: attempt)
        node.change({ bucket in
            bucket.put(
                upload.id,
                number: number,
                part: part,
                version: version,
                attempt: claim.attempt,
                recorded: database.recordedPart(upload: upload.id, number: number)
            )
        }) { [self] answer in
            guard !isEnded else { return }
            guard let answer else { return again { [self] in send(part, upload, version) } }
            guard let tag = answer else { return end() }
            record(part, upload, SimulatedPart(number: number, entityTag: tag))
        }
    }

    private func record(_ part: Int, _ upload: UploadRow, _ listed: SimulatedPart) {
        let claim = claim
        node.transact({ $0.recordPart(claim, upload: upload.id, part: part, listed) }) {
            [self] answer in
            guard !isEnded else { return }
            guard let answer else { return again { [self] in record(part, upload, listed) } }
            guard answer else { return end() }
            begun -= 1
            fetchNext(upload)
        }
    }
}
