internal import PawlCore
internal import PawlEngine
internal import PawlFleet

/// The parts of an object that a download is receiving: those in memory, those on their way, and
/// those that the service has.
///
/// It decides what happens to bytes and parts, and calls nobody.
struct ObjectParts {
    /// A part to be sent.
    struct Job: Sendable {
        let id: Int
        let index: Int
        let content: ObjectContent
        /// The run of parts to which it belongs; a later one ignores its end.
        let generation: Int
        /// The part of the same index that the service has from before; it is not sent again if it
        /// has the same bytes.
        let known: UploadedPart?

        var isStreamed: Bool { if case .streamed = content { true } else { false } }
    }

    /// What is known of all parts after the last byte was put.
    enum Collected {
        case all([UploadedPart])
        /// Some are on their way.
        case awaited
        /// Some have gaps, and nobody will put the bytes.
        case missing
    }

    /// The number of losses that are tolerated while the service does not get more bytes than ever
    /// before.
    static let mostLosses = 10

    private(set) var plan: ObjectPlan
    private(set) var address: ObjectService.Address
    private(set) var recorded: [Int: UploadedPart]
    /// The memory that was granted for parts, also for dropped ones that are still being sent.
    private(set) var memory: Int64 = 0
    private(set) var epoch = 0
    private(set) var failure: DownloadError?
    private(set) var isClosed = false
    /// The number of the wait for memory of other downloads; `nil` if there is none.
    var memoryWait: Int?
    var whenRoom: @Sendable () -> Void = {}
    var whenFailed: @Sendable (TargetFailure) -> Void = { _ in }
    /// Called by a part that is streamed when it takes bytes again.
    var pipeHasRoom: @Sendable () -> Void = {}

    private var parts: [Int: PartInHand] = [:]
    /// The parts to be sent, in order.
    private var queue: [Int] = []
    private var generation = 0
    /// The jobs that have not ended, with the memory of their parts if those were dropped.
    private var jobs: [Int: Int64] = [:]
    private var lastJob = 0
    /// Whether parts were lost, and the download has not begun them again yet.
    private var isLosing = false
    /// The number of losses since the service had more bytes than ever before.
    private var losses = 0
    /// The highest number of recorded bytes so far.
    private var mostRecorded: Int64

    init(
        _ plan: ObjectPlan,
        at address: ObjectService.Address,
        recorded: [Int: UploadedPart]
    ) {
        (self.plan, self.address, self.recorded) = (plan, address, recorded)
        mostRecorded = Self.bytes(of: recorded)
    }

    private static func bytes(of parts: [Int: UploadedPart]) -> Int64 {
        parts.values.reduce(0) { $0 + $1.bytes }
    }

    mutating func changePlan<Result>(_ change: (inout ObjectPlan) -> Result) -> Result {
        change(&plan)
    }

    mutating func move(to address: ObjectService.Address) { self.address = address }

    /// Whether a part is to be sent.
    var hasWork: Bool { !queue.isEmpty }

    // MARK: - Bytes

    /// Takes bytes of one part.
    ///
    /// Returns `false` if others are missing before them. If parts were lost, that is nothing new:
    /// all of the part is put again.
    mutating func take(_ piece: UnsafeRawBufferPointer, at offset: Int64, of index: Int) -> Bool {
        // Only a digest needs the bytes of a recorded part.
        guard recorded[index] == nil || plan.reading == .once else { return true }
        if parts[index] == nil {
            guard offset == plan.grid.bytes(of: index).start else { return isLosing }
            begin(index)
        }
        let wasEmpty = parts[index]?.count == 0
        guard parts[index]?.take(piece, at: offset) == true, let part = parts[index] else {
            return isLosing
        }
        if part.pipe != nil {
            if wasEmpty { queue.append(index) }
            if part.isComplete, part.stage == .filling { parts[index]?.stage = .sending }
        } else if part.isComplete, part.stage == .filling, !plan.grid.needsNoUpload {
            complete(index)
        }
        return true
    }

    private mutating func begin(_ index: Int) {
        let range = plan.grid.bytes(of: index)
        let pipe =
            plan.isStreamed
            ? PartPipe(
                length: range.count,
                isRead: plan.reading == .once,
                whenRoom: pipeHasRoom
            ) : nil
        // The digest is that of the bytes that are sent now, not of those that an earlier run sent.
        if plan.isStreamed, plan.reading == .once { recorded[index] = nil }
        let known = plan.isStreamed ? nil : recorded[index]
        parts[index] = PartInHand(range, pipe: pipe, known: known)
    }

    /// Lets a part that was gathered be sent.
    private mutating func complete(_ index: Int) {
        // The work finds out whether the service has the same bytes.
        recorded[index] = nil
        parts[index]?.stage = .sending
        queue.append(index)
    }

    /// Completes the last part of a file whose length was not known.
    mutating func completeLast(total: Int64) {
        for (index, part) in parts where part.stage == .filling && part.pipe == nil {
            guard part.range.start + part.count == total, part.count > 0 else { continue }
            parts[index]?.cut()
            complete(index)
        }
    }

    /// Returns the whole file if it is in memory, and no part of it was sent.
    func wholeFile(total: Int64) -> [UInt8]? {
        guard total > 0 else { return [] }
        guard recorded.isEmpty, let part = parts[0], part.pipe == nil, part.stage == .filling,
            part.count == total
        else { return nil }
        return part.bytes
    }

    /// Returns what is known of all parts after the last byte was put.
    func collected(total: Int64) -> Collected {
        var (found, end, isWaiting) = ([UploadedPart](), Int64(0), false)
        while end < total {
            let index = plan.grid.part(at: end)
            guard plan.grid.bytes(of: index).start == end else { return .missing }
            if let part = recorded[index], part.bytes > 0 {
                found.append(part)
                end += part.bytes
            } else if let part = parts[index], part.stage == .sending {
                (isWaiting, end) = (true, part.range.end)
            } else {
                return .missing
            }
        }
        guard end == total else { return .missing }
        return isWaiting ? .awaited : .all(found)
    }

    /// Whether gathered parts are on their way.
    var isSending: Bool {
        !isClosed && failure == nil
            && parts.values.contains { $0.stage == .sending && $0.pipe == nil }
    }

    // MARK: - Memory

    /// What has to be done before bytes at an offset can be taken.
    enum Room {
        /// There is room, or no bytes will be taken there.
        case free
        /// The part is full.
        case full
        /// Memory is needed for a part.
        case needs(part: Int, bytes: Int64)
    }

    func room(at offset: Int64) -> Room {
        guard !isClosed, failure == nil, offset < plan.grid.total ?? UploadGrid.largestObject
        else { return .free }
        let index = plan.grid.part(at: offset)
        guard recorded[index] == nil || plan.reading == .once else { return .free }
        if let part = parts[index], part.memory > 0 { return part.hasRoom ? .free : .full }
        let range = plan.grid.bytes(of: index)
        return .needs(
            part: index,
            bytes: PartInHand.cost(of: range, isStreamed: plan.isStreamed)
        )
    }

    /// Gives memory to a part; returns whether it has room.
    mutating func grant(_ bytes: Int64, to index: Int) -> Bool {
        if parts[index] == nil { begin(index) }
        memory += bytes
        parts[index]?.memory = bytes
        return parts[index]?.hasRoom ?? true
    }

    // MARK: - Reading

    /// Copies bytes; returns their number, the memory that is free then, and whether a part has room
    /// again.
    mutating func read(
        into buffer: UnsafeMutableRawBufferPointer,
        at offset: Int64
    ) -> (count: Int, freed: Int64, hasRoom: Bool) {
        var (count, hasRoom) = (0, false)
        while count < buffer.count {
            let position = offset + Int64(count)
            guard let part = parts[plan.grid.part(at: position)] else { break }
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
            let (found, hasFreed) = part.read(into: rest, at: position)
            hasRoom = hasRoom || hasFreed
            guard found > 0 else { break }
            count += found
        }
        // A read that found nothing, of an earlier beginning, says nothing about this one.
        if count > 0 { plan.readEnd = max(plan.readEnd, offset + Int64(count)) }
        return (count, dropRead(), hasRoom)
    }

    /// Removes the parts that the service has and that nobody has to read any more; returns their
    /// memory.
    mutating func dropRead() -> Int64 {
        guard plan.reading == .once else { return 0 }
        let end = plan.readEnd
        let done = parts.filter { $0.value.stage == .sent && $0.value.range.end <= end }
        return done.keys.reduce(0) { $0 + remove($1) }
    }

    private mutating func remove(_ index: Int) -> Int64 {
        let freed = parts.removeValue(forKey: index)?.memory ?? 0
        memory -= freed
        return freed
    }

    // MARK: - Sending

    /// Returns the next part to be sent; `nil` if there is none now.
    mutating func nextJob() -> Job? {
        guard !isClosed, failure == nil else { return nil }
        while !queue.isEmpty {
            let index = queue.removeFirst()
            guard let part = parts[index] else { continue }
            let content: ObjectContent =
                part.pipe.map { .streamed($0, bytes: part.range.count) } ?? .memory(part.bytes)
            lastJob += 1
            jobs[lastJob] = 0
            parts[index]?.job = lastJob
            return Job(
                id: lastJob,
                index: index,
                content: content,
                generation: generation,
                known: part.known
            )
        }
        return nil
    }

    /// Whether the end of a job still matters.
    func isWanted(_ job: Job) -> Bool {
        !isClosed && failure == nil && job.generation == generation
    }

    /// Notes that nothing of a job is being sent any more; returns the memory that is free then.
    mutating func ended(_ job: Job) -> Int64 {
        let freed = jobs.removeValue(forKey: job.id) ?? 0
        memory -= freed
        return freed
    }

    /// Notes a part that is recorded; returns the memory that is free then.
    mutating func noteRecorded(_ part: UploadedPart, of job: Job) -> Int64 {
        guard isWanted(job) else { return 0 }
        recorded[job.index] = part
        parts[job.index]?.stage = .sent
        let bytes = Self.bytes(of: recorded)
        if bytes > mostRecorded { (mostRecorded, losses) = (bytes, 0) }
        return plan.reading == .once ? 0 : remove(job.index)
    }

    // MARK: - Losses

    /// Notes that the parts which the service does not have are lost; returns what the download is
    /// told: to put them again, or, after too many losses without progress, to fail.
    mutating func lose(_ error: DownloadError) -> TargetFailure {
        losses += 1
        guard losses <= Self.mostLosses else {
            let error = DownloadError(
                .badResponse,
                "parts of \(address.text) are lost again and again: \(error.message)",
                context: error.context,
                retryClass: error.retryClass
            )
            failure = error
            return .failed(error)
        }
        epoch += 1
        // The ends of other jobs do not count any more.
        generation += 1
        isLosing = true
        return .lost(error)
    }

    /// Forgets recorded parts, which the service does not have.
    mutating func forget(_ isLost: (UploadedPart) -> Bool) {
        recorded = recorded.filter { !isLost($0.value) }
        for (index, part) in parts where part.known.map(isLost) == true {
            parts[index]?.known = nil
        }
    }

    /// Forgets the parts that are not whole in some ranges; returns the memory that is free then.
    mutating func restrict(to kept: RangeSet) -> Int64 {
        if plan.reading == .once {
            // The bytes are put again, and those that the service has are not sent again.
            plan.readEnd = 0
        } else {
            let grid = plan.grid
            recorded = recorded.filter { kept.contains(grid.bytes(of: $0.key)) }
        }
        return dropParts("the part begins again")
    }

    /// Begins with another representation, or with the same one from its first byte; returns the
    /// memory that is free then.
    mutating func reset(
        to representation: Representation,
        _ source: String,
        continuesUpload: Bool
    ) -> Int64 {
        if !continuesUpload { recorded = [:] }
        plan.begin(representation, source, continuesUpload: continuesUpload)
        epoch += 1
        return dropParts("another version of the file begins")
    }

    /// Begins again with another upload; returns the memory that is free then.
    mutating func startOver() -> Int64 {
        recorded = [:]
        plan.begin(plan.representation, plan.source, continuesUpload: false)
        return dropParts("the upload begins again")
    }

    mutating func fail(_ error: DownloadError) { failure = error }

    /// Ends the use of the parts; returns the memory that is free then.
    mutating func close() -> Int64 {
        isClosed = true
        return dropParts("the download has ended")
    }

    mutating func discard() {
        plan.isDiscarded = true
        recorded = [:]
    }

    /// Takes all parts out of memory; returns the memory that is free then.
    ///
    /// The memory of a part that is being sent is free when its job ends.
    private mutating func dropParts(_ reason: String) -> Int64 {
        var freed: Int64 = 0
        for part in parts.values {
            part.pipe?.fail(reason)
            if part.pipe == nil, let job = part.job, jobs[job] != nil {
                jobs[job] = part.memory
            } else {
                freed += part.memory
            }
        }
        (parts, queue, isLosing) = ([:], [], false)
        generation += 1
        memory -= freed
        return freed
    }
}
