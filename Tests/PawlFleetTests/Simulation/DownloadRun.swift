import PawlCore
import PawlFleet

/// The owner of a download: begins its upload, completes it, or aborts it.
///
/// It also fetches a stripe like every other node.
final class DownloadRun: SimulatedRun {
    let claim: SimulatedClaim
    private(set) var isEnded = false
    private let node: SimulatedNode
    private unowned let world: SimulatedWorld
    /// Whether this run has announced the completion.
    private var hasAnnounced = false

    init(_ claim: SimulatedClaim, node: SimulatedNode, world: SimulatedWorld) {
        self.claim = claim
        self.node = node
        self.world = world
    }

    func end() { isEnded = true }
    func begin() { step() }

    private func later() { node.wait(0.5...1.5) { [self] in step() } }

    /// Looks at the rows of the download, and does what is next.
    private func step() {
        guard !isEnded else { return }
        guard node.isTrusted else { return later() }
        let claim = claim
        node.transact({ ($0.read(claim), 0) }) { [self] answer in
            guard !isEnded else { return }
            guard let answer else { return later() }
            guard let row = answer.0, row.state == .waiting else { return end() }
            guard node.isTrusted else { return later() }
            act(row)
        }
    }

    private func act(_ row: DownloadRow) {
        guard let upload = row.upload else { return beginUpload() }
        switch upload.state {
        case .aborting: abort(upload)
        case .completing: complete(upload)
        case .open where row.isComplete: announce(row, upload)
        case .open: later()
        }
    }

    // MARK: - Beginning

    private func beginUpload() {
        let (claim, truth) = (claim, world.truth)
        world.call(.origin, from: node, within: .seconds(10)) {
            truth.version(of: claim.download)
        } then: { [self] version in
            guard let version, !isEnded, node.isTrusted else { return later() }
            // Each upload has a mark of its own.
            let mark = ObjectMark(
                queue: "queue",
                download: Int64(claim.download),
                upload: "\(claim.epoch)-\(world.integer(0...1 << 40))"
            )
            if truth.isSmall(claim.download) { return put(version, mark) }
            node.change({ $0.create(download: claim.download, mark: mark) }) { [self] id in
                guard let id, !isEnded else { return later() }
                let upload = UploadRow(id: id, mark: mark, version: version)
                node.transact({ $0.recordUpload(claim, upload) }) { [self] _ in later() }
            }
        }
    }

    /// Stores a small file with one request.
    private func put(_ version: Int, _ mark: ObjectMark) {
        let (claim, truth) = (claim, world.truth)
        let bytes = truth.bytes(claim.download, version)
        let isConditional = truth.bug != .unconditional
        node.change({ $0.put(version, mark: mark, ifNoneMatch: isConditional) }) { [self] answer in
            guard !isEnded else { return }
            if truth.bug == .noLookAtObject, answer == nil || answer == .accepted {
                return finish(.finished, mark)
            }
            node.look({ $0.content(of: claim.download) }) { [self] content in
                guard !isEnded else { return }
                let judge = CompletionJudge(mark: mark, bytes: bytes)
                switch judge.judgePut(content ?? .unknown) {
                case .finished: finish(.finished, mark)
                case .adopt(let object):
                    truth.note(.objectAdopted)
                    finish(.finished, object.mark)
                case .occupied: finish(.conflict)
                case .damaged: truth.report("an object of ours is damaged")
                default: later()
                }
            }
        }
    }

    // MARK: - Completing

    private func announce(_ row: DownloadRow, _ upload: UploadRow) {
        guard world.truth.bug == .listFromStore else { return announce(row.recorded) }
        node.look({ $0.list(upload.id) }) { [self] list in
            guard let list, !isEnded else { return later() }
            announce(list)
        }
    }

    private func announce(_ list: [SimulatedPart]) {
        let claim = claim
        hasAnnounced = true
        node.transact({ $0.announceCompletion(claim, list: list) }) { [self] _ in step() }
    }

    private func complete(_ upload: UploadRow) {
        let (claim, list) = (claim, upload.list ?? [])
        if !hasAnnounced { world.truth.note(.completionTakenOver) }
        if world.truth.bug == .anotherList, !hasAnnounced {
            let parts = Array(list.indices)
            hasAnnounced = true
            node.transact({ $0.forgetParts(claim, upload: upload.id, parts) }) { [self] _ in
                later()
            }
            return
        }
        let isConditional = world.truth.bug != .unconditional
        node.change({ $0.complete(upload.id, list, ifNoneMatch: isConditional) }) { [self] answer in
            guard !isEnded else { return }
            if world.truth.bug == .noLookAtObject, answer == nil || answer == .accepted {
                return finish(.finished, upload.mark)
            }
            judge(upload, answer ?? .unknown)
        }
    }

    private func judge(_ upload: UploadRow, _ answer: CompletionJudge.Answer) {
        let (claim, judge) = (claim, judge(of: upload))
        node.look({ $0.content(of: claim.download) }) { [self] content in
            guard !isEnded else { return }
            switch judge.judge(answer, content ?? .unknown) {
            case .finished: finish(.finished, upload.mark)
            case .occupied: finish(.conflict)
            case .completeAgain, .lookAgain: later()
            case .checkParts: checkParts(upload)
            case .startOver: forget(upload)
            case .adopt, .damaged: world.truth.report("an object of ours is damaged")
            }
        }
    }

    private func judge(of upload: UploadRow) -> CompletionJudge {
        CompletionJudge(
            mark: upload.mark,
            bytes: world.truth.bytes(claim.download, upload.version)
        )
    }

    private func checkParts(_ upload: UploadRow) {
        let (claim, list) = (claim, upload.list ?? [])
        node.look({ $0.list(upload.id) }) { [self] there in
            guard let there, !isEnded else { return later() }
            let wrong = list.indices.filter { !there.contains(list[$0]) }
            node.transact({ $0.forgetParts(claim, upload: upload.id, wrong) }) { [self] _ in
                later()
            }
        }
    }

    private func finish(_ state: DownloadRow.State, _ mark: ObjectMark? = nil) {
        let claim = claim
        node.transact({ $0.end(claim, as: state, with: mark) }) { [self] answer in
            if answer == nil { later() } else { end() }
        }
    }

    // MARK: - Aborting

    private func abort(_ upload: UploadRow) {
        let claim = claim
        node.change({ $0.abort(upload.id) }) { [self] answer in
            guard !isEnded else { return }
            guard answer != nil || world.truth.bug == .hastyAbort else { return later() }
            let judge = judge(of: upload)
            node.look({ $0.content(of: claim.download) }) { [self] content in
                guard !isEnded else { return }
                switch judge.judgeAborted(content ?? .unknown) {
                case .finished: finish(.finished, upload.mark)
                case .occupied: finish(.conflict)
                case .startOver: forget(upload)
                default: later()
                }
            }
        }
    }

    private func forget(_ upload: UploadRow) {
        let claim = claim
        node.transact({ $0.forgetUpload(claim, upload: upload.id) }) { [self] _ in later() }
    }
}
