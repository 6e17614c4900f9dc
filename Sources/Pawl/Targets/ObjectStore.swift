internal import PawlCore
internal import PawlEngine
internal import PawlFleet
internal import PawlStorage
internal import Synchronization

/// The store of a download that becomes an object: takes the bytes in parts, and keeps them in
/// memory until the service has acknowledged them.
///
/// Parts that fit are gathered as a whole, and sent again from memory if that fails. Larger ones are
/// sent while they arrive. A file of one part is kept until its end, and stored with one request.
final class ObjectStore: TargetStore {
    typealias Job = ObjectParts.Job

    private let service: ObjectService
    private let budget: PartMemory
    /// Wakes the work when there is something to send.
    private let work: Wakeup
    /// Wakes those who wait for parts to be recorded.
    private let progress = Wakeup()
    private let state: Mutex<ObjectParts>

    /// - Parameter recorded: The parts that the service has from an earlier run.
    init(
        _ plan: ObjectPlan,
        at address: ObjectService.Address,
        of service: ObjectService,
        recorded: [Int: UploadedPart] = [:],
        work: Wakeup
    ) {
        (self.service, self.work) = (service, work)
        budget = service.destination.memory
        state = Mutex(ObjectParts(plan, at: address, recorded: recorded))
        state.withLock { $0.pipeHasRoom = { [weak self] in self?.callWhenRoom() } }
    }

    // MARK: - What it is

    var traits: TargetTraits {
        let plan = plan
        let cost = PartInHand.cost(of: plan.grid.bytes(of: 0), isStreamed: plan.isStreamed)
        let most = max(1, budget.bytesPerDownload / max(1, cost))
        return TargetTraits(
            grid: SegmentGrid(
                partBytes: plan.isInOrder ? .max : plan.grid.partBytes,
                mostBegunParts: plan.isInOrder ? .max : Int(clamping: most)
            ),
            reading: plan.reading
        )
    }

    var name: String { address.name }
    var place: String { address.text }
    var address: ObjectService.Address { state.withLock { $0.address } }
    var plan: ObjectPlan { state.withLock { $0.plan } }

    // MARK: - Bytes

    func put(
        _ bytes: UnsafeRawBufferPointer,
        at offset: Int64
    ) throws(DownloadError) -> PutAnswer {
        var hasGap = false
        let (answer, freed, hasWork) = try state.withLock {
            (state) throws(DownloadError) -> (PutAnswer, Int64, Bool) in
            if let failure = state.failure { throw failure }
            guard !state.isClosed else { return (.taken, 0, false) }
            var (rest, position) = (bytes[...], offset)
            while !rest.isEmpty {
                let index = state.plan.grid.part(at: position)
                let range = state.plan.grid.bytes(of: index)
                let count = Int(clamping: min(Int64(rest.count), range.end - position))
                guard count > 0, fits(range, state.plan) else {
                    throw Self.tooLarge(state.address)
                }
                let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(count))
                if !state.take(piece, at: position, of: index) { hasGap = true }
                rest = rest.dropFirst(count)
                position += Int64(count)
            }
            let answer = hasRoom(at: position, &state) ? PutAnswer.taken : .full
            return (answer, state.dropRead(), state.hasWork)
        }
        budget.giveBack(freed)
        if hasWork { work.send() }
        // The download would count bytes that nobody will send.
        if hasGap { lose(incomplete) }
        return answer
    }

    /// The error if the bytes of a part were not put in order.
    private var incomplete: DownloadError {
        DownloadError(
            .unknown,
            "parts of \(place) were not received whole",
            retryClass: .later
        )
    }

    /// Whether a part can be kept in memory.
    private func fits(_ range: ByteRange, _ plan: ObjectPlan) -> Bool {
        plan.isStreamed || range.count <= max(UploadGrid.smallestPart, budget.bytesPerDownload)
    }

    static func tooLarge(_ address: ObjectService.Address) -> DownloadError {
        DownloadError(
            .tooLarge,
            "the file is too large to become an object",
            advice: "download it to a file",
            context: "receiving bytes for \(address.text)",
            retryClass: .never
        )
    }

    // MARK: - Room

    func hasRoom(at offset: Int64) -> Bool { state.withLock { hasRoom(at: offset, &$0) } }

    /// Takes memory for the part at an offset, if there is some.
    private func hasRoom(at offset: Int64, _ state: inout ObjectParts) -> Bool {
        switch state.room(at: offset) {
        case .free: return true
        case .full: return false
        case .needs(let part, let bytes):
            guard state.memory == 0 || state.memory + bytes <= budget.bytesPerDownload else {
                return false
            }
            let isGranted = budget.take(bytes, orWait: &state.memoryWait) { [weak self] in
                self?.memoryReturned()
            }
            return isGranted && state.grant(bytes, to: part)
        }
    }

    private func memoryReturned() {
        state.withLock { $0.memoryWait = nil }
        callWhenRoom()
    }

    private func callWhenRoom() { state.withLock { $0.whenRoom }() }

    func whenRoom(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.whenRoom = body } }

    func whenFailed(_ body: @escaping @Sendable (TargetFailure) -> Void) {
        state.withLock { $0.whenFailed = body }
    }

    // MARK: - Reading

    func holds(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Bool { false }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int {
        let (count, freed, hasRoom) = state.withLock { $0.read(into: buffer, at: offset) }
        budget.giveBack(freed)
        if freed > 0 || hasRoom { callWhenRoom() }
        return count
    }

    // MARK: - What is kept

    var representation: Representation { plan.representation }

    func setRepresentation(_ representation: Representation) {
        state.withLock { $0.changePlan { $0.representation = representation } }
    }

    var durable: RangeSet {
        state.withLock { state in
            let grid = state.plan.grid
            return RangeSet(
                state.recorded.map { index, part in
                    let start = grid.bytes(of: index).start
                    return ByteRange(start, start + part.bytes)
                }
            )
        }
    }

    var trustEpoch: Int { state.withLock { $0.epoch } }

    var kept: KeptBytes? {
        let durable = durable
        return durable.isEmpty ? nil : KeptBytes(representation, count: durable.count)
    }

    func saveCheckpoint(written: RangeSet, epoch: Int?) {}
    func sync(written: RangeSet, epoch: Int?) {}

    func restrict(to kept: RangeSet) {
        let freed = state.withLock { $0.restrict(to: kept) }
        budget.giveBack(freed)
    }

    func reset(
        representation: Representation,
        source: String,
        mark: SourceMark?
    ) throws(DownloadError) {
        guard UploadGrid(total: representation.total) != nil else {
            throw Self.tooLarge(address)
        }
        let (freed, former) = state.withLock { state in
            let isSame =
                state.plan.reading == .once
                && state.plan.representation.isProvenSame(representation)
            let former = isSame ? nil : state.plan.recorded(at: state.address, .aborting)
            return (state.reset(to: representation, source, continuesUpload: isSame), former)
        }
        budget.giveBack(freed)
        // If this run ends here, the next one aborts the upload.
        if let former { try service.destination.ledger.record(former) }
    }

    // MARK: - The work

    /// Returns the next part to be sent; `nil` if there is none now.
    func nextJob() -> Job? { state.withLock { $0.nextJob() } }

    /// Whether the end of a job still matters.
    func isWanted(_ job: Job) -> Bool { state.withLock { $0.isWanted(job) } }

    /// Notes that nothing of a job is being sent any more.
    func ended(_ job: Job) {
        let freed = state.withLock { $0.ended(job) }
        guard freed > 0 else { return }
        budget.giveBack(freed)
        callWhenRoom()
    }

    /// Records that parts are recorded, so that they are durable.
    func recorded(_ parts: [(job: Job, part: UploadedPart)]) {
        let freed = state.withLock { state in
            parts.reduce(0) { $0 + state.noteRecorded($1.part, of: $1.job) } + state.dropRead()
        }
        budget.giveBack(freed)
        callWhenRoom()
        progress.send()
    }

    /// Gives up the parts that the service does not have yet, and begins them again; fails after too
    /// many losses without progress.
    ///
    /// - Parameter forgetsAll: Whether the service has lost the others, too.
    func lose(_ error: DownloadError, of job: Job? = nil, forgetsAll: Bool = false) {
        let call = state.withLock { state -> (@Sendable () -> Void)? in
            guard !state.isClosed, state.failure == nil, job.map({ state.isWanted($0) }) ?? true
            else {
                return nil
            }
            if forgetsAll {
                state.forget { _ in true }
                state.changePlan { $0.upload = nil }
            }
            let (failure, whenFailed) = (state.lose(error), state.whenFailed)
            return { whenFailed(failure) }
        }
        call?()
        progress.send()
    }

    /// Gives up the upload, and begins again with another one, perhaps at another address.
    ///
    /// - Parameter isGone: Whether the upload does not exist any more.
    /// - Returns: The error to throw: the given one, or that of too many losses without progress.
    func startOver(
        at address: ObjectService.Address,
        isGone: Bool,
        _ error: DownloadError
    ) -> DownloadError {
        let (freed, failure) = state.withLock { state in
            if isGone { state.changePlan { $0.upload = nil } }
            state.move(to: address)
            let failure = state.lose(error)
            return (state.startOver(), failure)
        }
        budget.giveBack(freed)
        return failure.error
    }

    /// Gives the object another address, before anything was sent.
    func move(to address: ObjectService.Address) { state.withLock { $0.move(to: address) } }

    /// Forgets parts that the service does not have.
    ///
    /// - Returns: The error to throw, as for `startOver`.
    func forget(_ numbers: Set<Int>, _ error: DownloadError) -> DownloadError {
        state.withLock { state in
            state.forget { numbers.contains($0.number) }
            return state.lose(error).error
        }
    }

    /// Ends the download with an error.
    func fail(_ error: DownloadError) {
        let call = state.withLock { state -> (@Sendable () -> Void)? in
            guard !state.isClosed, state.failure == nil else { return nil }
            state.fail(error)
            let whenFailed = state.whenFailed
            return { whenFailed(.failed(error)) }
        }
        call?()
        progress.send()
    }

    /// Takes the uploads that have to be aborted.
    func takeFormer() -> [MultipartUpload] {
        state.withLock { state in
            state.changePlan { plan in
                defer { plan.former = [] }
                return plan.former
            }
        }
    }

    /// Returns an upload that could not be aborted.
    func putBack(_ upload: MultipartUpload) {
        state.withLock { $0.changePlan { $0.former.append(upload) } }
    }

    /// Sets the upload to which parts are sent.
    ///
    /// Returns `false` if the plan has begun again since `beginnings` was read: the upload is aborted
    /// then, before another one begins or at the end.
    func setUpload(_ upload: ObjectPlan.Upload, of beginnings: Int) -> Bool {
        state.withLock { state in
            state.changePlan { plan in
                guard plan.beginnings == beginnings else {
                    plan.former.append(upload.upload)
                    return false
                }
                plan.upload = upload
                return true
            }
        }
    }

    // MARK: - The end

    /// Returns the whole file if it is in memory, and no part of it was sent.
    func wholeFile(total: Int64) -> [UInt8]? { state.withLock { $0.wholeFile(total: total) } }

    /// Waits until the service has all parts, and returns them in order.
    ///
    /// It waits only for parts that are on their way. If bytes of others are missing, it loses them,
    /// so that they are put again.
    ///
    /// - Parameter epoch: The epoch in which all bytes count; fails if parts were lost since then.
    func allParts(total: Int64, epoch: Int) async throws(DownloadError) -> [UploadedPart] {
        state.withLock { $0.completeLast(total: total) }
        work.send()
        while true {
            if let parts = try finishedParts(total: total, epoch: epoch) { return parts }
            if Task.isCancelled || service.isCancelled(.control) {
                throw DownloadError(.interrupted, "the download was cancelled")
            }
            await progress.wait()
        }
    }

    /// Ends a wait for parts, because the download was stopped.
    func stopWaiting() { progress.send() }

    private func finishedParts(
        total: Int64,
        epoch: Int
    ) throws(DownloadError) -> [UploadedPart]? {
        let incomplete = incomplete
        return try state.withLock { (state) throws(DownloadError) in
            if let failure = state.failure { throw failure }
            guard state.epoch == epoch else {
                let place = state.address.text
                throw DownloadError(.network, "parts of \(place) were lost", retryClass: .later)
            }
            switch state.collected(total: total) {
            case .all(let parts): return parts
            case .awaited: return nil
            case .missing: throw state.lose(incomplete).error
            }
        }
    }

    /// The longest time for which parts on their way are awaited.
    static let settlingTime = Duration.seconds(5)

    func settle() async {
        guard isSending else { return }
        let (end, progress) = (Completion<Void>(), progress)
        let alarm = service.setAlarm(after: Self.settlingTime) {
            end.complete()
            progress.send()
        }
        while isSending, !end.isComplete { await progress.waitIgnoringCancellation() }
        service.resign(alarm)
    }

    private var isSending: Bool { state.withLock { $0.isSending } }

    func close() {
        let (freed, ticket) = state.withLock { ($0.close(), $0.memoryWait) }
        if let ticket { budget.withdraw(ticket) }
        budget.giveBack(freed)
        progress.send()
        work.send()
    }

    func discard() { state.withLock { $0.discard() } }
}

extension TargetFailure {
    /// The error that was reported.
    fileprivate var error: DownloadError {
        switch self {
        case .lost(let error), .failed(let error): error
        }
    }
}
