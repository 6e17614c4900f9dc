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
    /// A part to be sent.
    struct Job: Sendable {
        let index: Int
        let content: ObjectContent
        /// The run of parts to which it belongs; a later one ignores its end.
        let generation: Int
        /// The part of the same index that the service has from before; it is not sent again if it
        /// has the same bytes.
        let known: UploadedPart?

        var isStreamed: Bool { if case .streamed = content { true } else { false } }
    }

    private struct State {
        var plan: ObjectPlan
        var address: ObjectService.Address
        var parts: [Int: PartInHand] = [:]
        var recorded: [Int: UploadedPart]
        /// The parts to be sent, in order.
        var queue: [Int] = []
        var memory: Int64 = 0
        var epoch = 0
        var generation = 0
        /// The number of streamed parts that were lost since one was acknowledged.
        var losses = 0
        var failure: DownloadError?
        var isClosed = false
        /// The number of the wait for memory of other downloads; `nil` if there is none.
        var memoryWait: Int?
        var whenRoom: @Sendable () -> Void = {}
        var whenFailed: @Sendable (TargetFailure) -> Void = { _ in }

        /// Takes all parts out of memory; returns what they used.
        mutating func dropParts(_ reason: String) -> Int64 {
            for part in parts.values { part.pipe?.fail(reason) }
            (parts, queue) = ([:], [])
            generation += 1
            defer { memory = 0 }
            return memory
        }
    }

    private let service: ObjectService
    private let budget: PartMemory
    /// Wakes the work when there is something to send.
    private let work: Wakeup
    /// Wakes those who wait for parts to be recorded.
    private let progress = Wakeup()
    private let state: Mutex<State>

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
        state = Mutex(State(plan: plan, address: address, recorded: recorded))
    }

    // MARK: - What it is

    var traits: TargetTraits {
        state.withLock { state in
            let plan = state.plan
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
                take(piece, at: position, of: index, range, &state)
                rest = rest.dropFirst(count)
                position += Int64(count)
            }
            let answer = hasRoom(at: position, &state) ? PutAnswer.taken : .full
            return (answer, dropReadParts(&state), !state.queue.isEmpty)
        }
        budget.giveBack(freed)
        if hasWork { work.send() }
        return answer
    }

    private func take(
        _ piece: UnsafeRawBufferPointer,
        at offset: Int64,
        of index: Int,
        _ range: ByteRange,
        _ state: inout State
    ) {
        let known = state.recorded[index]
        // Only a digest needs the bytes of a recorded part.
        guard known == nil || state.plan.reading == .once else { return }
        if state.parts[index] == nil {
            guard offset == range.start else { return }
            begin(index, range, &state)
        }
        let wasEmpty = state.parts[index]?.count == 0
        // A gap follows only from a loss, after which all of the part is put again.
        guard state.parts[index]?.take(piece, at: offset) == true, let part = state.parts[index]
        else { return }
        if part.pipe != nil {
            if wasEmpty { state.queue.append(index) }
            if part.isComplete, part.stage == .filling { state.parts[index]?.stage = .sending }
        } else if part.isComplete, part.stage == .filling, !state.plan.grid.needsNoUpload {
            complete(index, &state)
        }
    }

    private func begin(_ index: Int, _ range: ByteRange, _ state: inout State) {
        let plan = state.plan
        let pipe =
            plan.isStreamed
            ? PartPipe(length: range.count, isRead: plan.reading == .once) { [weak self] in
                self?.callWhenRoom()
            } : nil
        // The digest is that of the bytes that are sent now, not of those that an earlier run sent.
        if plan.isStreamed, plan.reading == .once { state.recorded[index] = nil }
        let known = plan.isStreamed ? nil : state.recorded[index]
        state.parts[index] = PartInHand(range, pipe: pipe, known: known)
    }

    /// Lets a part that was gathered be sent.
    private func complete(_ index: Int, _ state: inout State) {
        // The work finds out whether the service has the same bytes.
        state.recorded[index] = nil
        state.parts[index]?.stage = .sending
        state.queue.append(index)
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
    private func hasRoom(at offset: Int64, _ state: inout State) -> Bool {
        guard !state.isClosed, state.failure == nil,
            offset < state.plan.grid.total ?? UploadGrid.largestObject
        else { return true }
        let index = state.plan.grid.part(at: offset)
        guard state.recorded[index] == nil || state.plan.reading == .once else { return true }
        let range = state.plan.grid.bytes(of: index)
        if let part = state.parts[index], part.memory > 0 { return part.hasRoom }
        let cost = PartInHand.cost(of: range, isStreamed: state.plan.isStreamed)
        guard state.memory == 0 || state.memory + cost <= budget.bytesPerDownload else {
            return false
        }
        let isGranted = budget.take(cost, orWait: &state.memoryWait) { [weak self] in
            self?.memoryReturned()
        }
        guard isGranted else { return false }
        if state.parts[index] == nil { begin(index, range, &state) }
        state.memory += cost
        state.parts[index]?.memory = cost
        return state.parts[index]?.hasRoom ?? true
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
        let (count, freed, hasRoom) = state.withLock { state in
            var count = 0, hasRoom = false
            while count < buffer.count {
                let position = offset + Int64(count)
                guard let part = state.parts[state.plan.grid.part(at: position)] else { break }
                let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
                let (found, hasFreed) = part.read(into: rest, at: position)
                hasRoom = hasRoom || hasFreed
                guard found > 0 else { break }
                count += found
            }
            // A read that found nothing, of an earlier beginning, says nothing about this one.
            if count > 0 { state.plan.readEnd = max(state.plan.readEnd, offset + Int64(count)) }
            return (count, dropReadParts(&state), hasRoom)
        }
        budget.giveBack(freed)
        if freed > 0 || hasRoom { callWhenRoom() }
        return count
    }

    /// Removes the parts that the service has and that nobody has to read any more; returns their
    /// memory.
    private func dropReadParts(_ state: inout State) -> Int64 {
        guard state.plan.reading == .once else { return 0 }
        let end = state.plan.readEnd
        let done = state.parts.filter { $0.value.stage == .sent && $0.value.range.end <= end }
        return done.keys.reduce(0) { $0 + remove($1, &state) }
    }

    private func remove(_ index: Int, _ state: inout State) -> Int64 {
        let memory = state.parts.removeValue(forKey: index)?.memory ?? 0
        state.memory -= memory
        return memory
    }

    // MARK: - What is kept

    var representation: Representation { state.withLock { $0.plan.representation } }

    func setRepresentation(_ representation: Representation) {
        state.withLock { $0.plan.representation = representation }
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
        let freed = state.withLock { state in
            let grid = state.plan.grid
            if state.plan.reading == .once {
                // The bytes are put again, and those that the service has are not sent again.
                state.plan.readEnd = 0
            } else {
                state.recorded = state.recorded.filter { kept.contains(grid.bytes(of: $0.key)) }
            }
            return state.dropParts("the part begins again")
        }
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
            if !isSame { state.recorded = [:] }
            state.plan.begin(representation, source, continuesUpload: isSame)
            state.epoch += 1
            return (state.dropParts("another version of the file begins"), former)
        }
        budget.giveBack(freed)
        // If this run ends here, the next one aborts the upload.
        if let former { try service.destination.ledger.record(former) }
    }

    // MARK: - The work

    /// Returns the next part to be sent; `nil` if there is none now.
    func nextJob() -> Job? {
        state.withLock { state in
            guard !state.isClosed, state.failure == nil else { return nil }
            while !state.queue.isEmpty {
                let index = state.queue.removeFirst()
                guard let part = state.parts[index] else { continue }
                let content: ObjectContent =
                    part.pipe.map { .streamed($0, bytes: part.range.count) } ?? .memory(part.bytes)
                return Job(
                    index: index,
                    content: content,
                    generation: state.generation,
                    known: part.known
                )
            }
            return nil
        }
    }

    /// Whether the end of a job still matters.
    func isWanted(_ job: Job) -> Bool { state.withLock { isWanted(job, $0) } }

    private func isWanted(_ job: Job, _ state: State) -> Bool {
        !state.isClosed && state.failure == nil && state.generation == job.generation
    }

    /// Records that parts are recorded, so that they are durable.
    func recorded(_ parts: [(job: Job, part: UploadedPart)]) {
        let freed = state.withLock { state in
            var freed: Int64 = 0
            state.losses = 0
            for (job, part) in parts where isWanted(job, state) {
                state.recorded[job.index] = part
                state.parts[job.index]?.stage = .sent
                if state.plan.reading != .once { freed += remove(job.index, &state) }
            }
            return freed + dropReadParts(&state)
        }
        budget.giveBack(freed)
        callWhenRoom()
        progress.send()
    }

    /// Gives up the parts that the service does not have yet, and begins them again.
    ///
    /// - Parameter forgetsAll: Whether the service has lost the others, too.
    func lose(_ error: DownloadError, of job: Job? = nil, forgetsAll: Bool = false) {
        let call = state.withLock { state -> (@Sendable () -> Void)? in
            guard !state.isClosed, state.failure == nil,
                job.map({ isWanted($0, state) }) ?? true
            else { return nil }
            if forgetsAll {
                state.recorded = [:]
                for index in state.parts.keys { state.parts[index]?.known = nil }
                state.plan.upload = nil
            }
            state.epoch += 1
            // The ends of other jobs do not count any more.
            state.generation += 1
            let whenFailed = state.whenFailed
            return { whenFailed(.lost(error)) }
        }
        call?()
        progress.send()
    }

    /// Gives up the upload, and begins again with another one, perhaps at another address.
    ///
    /// - Parameter isGone: Whether the upload does not exist any more.
    func startOver(at address: ObjectService.Address, isGone: Bool) {
        let freed = state.withLock { state in
            if isGone { state.plan.upload = nil }
            state.address = address
            state.recorded = [:]
            let plan = state.plan
            state.plan.begin(plan.representation, plan.source, continuesUpload: false)
            state.epoch += 1
            return state.dropParts("the upload begins again")
        }
        budget.giveBack(freed)
    }

    /// Gives the object another address, before anything was sent.
    func move(to address: ObjectService.Address) { state.withLock { $0.address = address } }

    /// Forgets parts that the service does not have.
    func forget(_ numbers: Set<Int>) {
        state.withLock { state in
            state.recorded = state.recorded.filter { !numbers.contains($0.value.number) }
            state.epoch += 1
        }
    }

    /// Ends the download with an error.
    func fail(_ error: DownloadError) {
        let call = state.withLock { state -> (@Sendable () -> Void)? in
            guard !state.isClosed, state.failure == nil else { return nil }
            state.failure = error
            let whenFailed = state.whenFailed
            return { whenFailed(.failed(error)) }
        }
        call?()
        progress.send()
    }

    /// Whether another part may be lost; notes that one is.
    ///
    /// A part that the service acknowledges resets the count.
    func mayLosePart() -> Bool {
        state.withLock { state in
            state.losses += 1
            return state.losses <= Self.mostLosses
        }
    }

    /// The number of parts in a row that may be lost.
    private static let mostLosses = 10

    /// Takes the uploads that have to be aborted.
    func takeFormer() -> [MultipartUpload] {
        state.withLock { state in
            defer { state.plan.former = [] }
            return state.plan.former
        }
    }

    /// Returns an upload that could not be aborted.
    func putBack(_ upload: MultipartUpload) { state.withLock { $0.plan.former.append(upload) } }

    /// Sets the upload to which parts are sent.
    func setUpload(_ upload: ObjectPlan.Upload) { state.withLock { $0.plan.upload = upload } }

    // MARK: - The end

    /// Returns the whole file if it is in memory, and no part of it was sent.
    func wholeFile(total: Int64) -> [UInt8]? {
        state.withLock { state in
            guard total > 0 else { return [] }
            guard state.recorded.isEmpty, let part = state.parts[0], part.pipe == nil,
                part.stage == .filling, part.count == total
            else { return nil }
            return part.bytes
        }
    }

    /// Waits until the service has all parts, and returns them in order.
    ///
    /// - Parameter epoch: The epoch in which all bytes count; fails if parts were lost since then.
    func allParts(total: Int64, epoch: Int) async throws(DownloadError) -> [UploadedPart] {
        state.withLock { state in
            // The last part of a file whose length was not known.
            for (index, part) in state.parts where part.stage == .filling && part.pipe == nil {
                guard part.range.start + part.count == total, part.count > 0 else { continue }
                state.parts[index]?.cut()
                complete(index, &state)
            }
        }
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
        try state.withLock { (state) throws(DownloadError) in
            if let failure = state.failure { throw failure }
            guard state.epoch == epoch else {
                let place = state.address.text
                throw DownloadError(.network, "parts of \(place) were lost", retryClass: .later)
            }
            let parts = state.recorded.sorted { $0.key < $1.key }
            var end: Int64 = 0
            for (index, part) in parts {
                guard state.plan.grid.bytes(of: index).start == end else { return nil }
                end += part.bytes
            }
            return end == total ? parts.map(\.value) : nil
        }
    }

    /// Whether gathered parts are on their way.
    var isSending: Bool {
        state.withLock { state in
            !state.isClosed && state.failure == nil
                && state.parts.values.contains { $0.stage == .sending && $0.pipe == nil }
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

    func close() {
        let (freed, ticket) = state.withLock { state in
            state.isClosed = true
            return (state.dropParts("the download has ended"), state.memoryWait)
        }
        if let ticket { budget.withdraw(ticket) }
        budget.giveBack(freed)
        progress.send()
        work.send()
    }

    func discard() {
        state.withLock { state in
            state.plan.isDiscarded = true
            state.recorded = [:]
        }
    }
}
