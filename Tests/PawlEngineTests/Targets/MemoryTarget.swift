import PawlCore
import PawlEngine
import PawlStorage
import PawlTesting

/// A place in memory that takes the bytes of a file in parts, as object storage does.
///
/// What it has recorded outlives the engines that write to it. It notes everything that a target
/// with parts could not take.
final class MemoryTarget: Sendable {
    static let place = "memory:object"

    let parts: Observed<MemoryParts>

    init(partBytes: Int64) {
        parts = Observed(MemoryParts(grid: SegmentGrid(partBytes: partBytes)))
    }

    /// The target of a job.
    var target: ByteTarget {
        ByteTarget(opening: MemoryOpening(self), finishing: MemoryFinishing(self))
    }

    /// Keeps complete parts waiting from now on, of which there may be two.
    func holdParts() { parts.update { $0.mostWaiting = 2 } }

    /// Records the parts that wait, so that there is room for others.
    func recordWaiting() {
        let whenRoom = parts.update { $0.recordWaiting() }
        whenRoom?()
    }

    /// Records parts as soon as they are complete.
    func recordAtOnce() {
        parts.update { $0.mostWaiting = nil }
        recordWaiting()
    }
}

/// The parts of a file, and what was done with them.
struct MemoryParts: Sendable {
    let grid: SegmentGrid
    /// The representation of the bytes; `nil` if there are none.
    var representation: Representation?
    /// The URLs of the download that sent them.
    private(set) var source = ""
    /// The parts that are recorded, by their offsets.
    private(set) var recorded: [Int64: [UInt8]] = [:]
    /// The complete parts that wait to be recorded.
    private(set) var waiting: [Int64: [UInt8]] = [:]
    /// The parts that are begun and not complete.
    private(set) var begun: [Int64: [UInt8]] = [:]
    /// The bytes of a finished download.
    private(set) var object: [UInt8]?
    /// The number of parts that may wait; `nil` if they are recorded at once.
    var mostWaiting: Int?
    var whenRoom: (@Sendable () -> Void)?
    private(set) var epoch = 0
    private(set) var resets = 0
    private(set) var fullAnswers = 0
    private(set) var putsWhileFull = 0
    private(set) var violations: [String] = []

    init(grid: SegmentGrid) { self.grid = grid }

    var isFull: Bool { mostWaiting.map { waiting.count >= $0 } ?? false }

    var durable: RangeSet {
        RangeSet(recorded.map { ByteRange($0.key, $0.key + Int64($0.value.count)) })
    }

    private func end(ofPart part: Int64) -> Int64 {
        min(representation?.total ?? .max, part + grid.partBytes)
    }

    private func bytes(ofPart part: Int64) -> [UInt8] {
        recorded[part] ?? waiting[part] ?? begun[part] ?? []
    }

    /// Takes bytes; returns `nil` if they do not continue a part.
    mutating func take(_ bytes: [UInt8], at offset: Int64) -> PutAnswer? {
        if isFull { putsWhileFull += 1 }
        var (rest, offset) = (bytes[...], offset)
        while !rest.isEmpty {
            let part = grid.boundary(atOrBefore: offset)
            let count = Int(min(Int64(rest.count), end(ofPart: part) - offset))
            guard count > 0, take(Array(rest.prefix(count)), at: Int(offset - part), of: part)
            else { return nil }
            rest = rest.dropFirst(count)
            offset += Int64(count)
        }
        guard isFull else { return .taken }
        fullAnswers += 1
        return .full
    }

    private mutating func take(_ piece: [UInt8], at start: Int, of part: Int64) -> Bool {
        let known = bytes(ofPart: part)
        guard start <= known.count else {
            note("a gap before \(part + Int64(start))")
            return false
        }
        let present = min(piece.count, known.count - start)
        if known[start..<start + present] != piece[..<present] {
            note("other bytes at \(part + Int64(start))")
        }
        guard present < piece.count else { return true }
        let bytes = known + piece[present...]
        begun[part] = bytes
        if Int64(bytes.count) == end(ofPart: part) - part { complete(part) }
        return true
    }

    private mutating func complete(_ part: Int64) {
        let bytes = begun.removeValue(forKey: part)
        if mostWaiting == nil { recorded[part] = bytes } else { waiting[part] = bytes }
    }

    mutating func recordWaiting() -> (@Sendable () -> Void)? {
        recorded.merge(waiting) { _, new in new }
        waiting = [:]
        return whenRoom
    }

    mutating func note(_ violation: String) { violations.append(violation) }

    func read(at offset: Int64, atMost count: Int) -> [UInt8] {
        var found: [UInt8] = []
        while found.count < count {
            let position = offset + Int64(found.count)
            let part = grid.boundary(atOrBefore: position)
            let rest = bytes(ofPart: part).dropFirst(Int(position - part))
            guard !rest.isEmpty else { break }
            found += rest.prefix(count - found.count)
        }
        return found
    }

    /// Forgets the parts that are not recorded, as the end of a process does.
    mutating func dropUnrecorded() { (begun, waiting) = ([:], [:]) }

    mutating func restrict(to kept: RangeSet) {
        dropUnrecorded()
        recorded = recorded.filter { part, bytes in
            kept.contains(ByteRange(part, part + Int64(bytes.count)))
        }
    }

    /// Forgets all bytes.
    mutating func clear() {
        dropUnrecorded()
        (recorded, representation) = ([:], nil)
    }

    /// Begins without bytes.
    mutating func begin(_ new: Representation, from source: String) {
        clear()
        (representation, self.source) = (new, source)
    }

    mutating func reset(to new: Representation, from source: String) {
        begin(new, from: source)
        (resets, epoch) = (resets + 1, epoch + 1)
    }

    /// Joins the parts; returns `false` if some are missing.
    mutating func finish(total: Int64) -> Bool {
        _ = recordWaiting()
        // The last part of a file whose length was not known.
        recorded.merge(begun.filter { $0.key + Int64($0.value.count) == total }) { $1 }
        guard durable == RangeSet(ByteRange(0, total)) else { return false }
        object = recorded.sorted { $0.key < $1.key }.flatMap(\.value)
        clear()
        return true
    }
}

/// The store of one run.
private final class MemoryStore: TargetStore {
    private let target: MemoryTarget

    init(_ target: MemoryTarget) { self.target = target }

    private var now: MemoryParts { target.parts.value }

    var traits: TargetTraits { TargetTraits(grid: now.grid) }
    var name: String { "object" }
    var place: String { MemoryTarget.place }

    func put(
        _ bytes: UnsafeRawBufferPointer,
        at offset: Int64
    ) throws(DownloadError) -> PutAnswer {
        let copy = Array(bytes)
        guard let answer = target.parts.update({ $0.take(copy, at: offset) }) else {
            throw DownloadError(.unknown, "bytes at \(offset) do not continue a part")
        }
        return answer
    }

    func hasRoom(at offset: Int64) -> Bool { !now.isFull }

    func whenRoom(_ body: @escaping @Sendable () -> Void) {
        target.parts.update { $0.whenRoom = body }
    }

    func holds(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Bool {
        target.parts.update { $0.note("a comparison at \(offset)") }
        return false
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int {
        let bytes = now.read(at: offset, atMost: buffer.count)
        buffer.copyBytes(from: bytes)
        return bytes.count
    }

    func reserve(total: Int64) { target.parts.update { $0.note("a reservation") } }

    var representation: Representation { now.representation ?? Representation() }

    func setRepresentation(_ representation: Representation) {
        target.parts.update { $0.representation = representation }
    }

    var durable: RangeSet { now.durable }
    var trustEpoch: Int { now.epoch }

    var kept: KeptBytes? {
        let now = now
        guard let representation = now.representation, !now.recorded.isEmpty else { return nil }
        return KeptBytes(representation, count: now.durable.count)
    }

    func saveCheckpoint(written: RangeSet, epoch: Int?) {}
    func sync(written: RangeSet, epoch: Int?) {}
    func restrict(to kept: RangeSet) { target.parts.update { $0.restrict(to: kept) } }

    func reset(representation: Representation, source: String, mark: SourceMark?) {
        target.parts.update { $0.reset(to: representation, from: source) }
    }

    func close() {
        target.parts.update {
            $0.dropUnrecorded()
            $0.whenRoom = nil
        }
    }

    func discard() { target.parts.update { $0.clear() } }
}

private struct MemoryOpening: TargetOpening {
    private let target: MemoryTarget

    init(_ target: MemoryTarget) { self.target = target }

    var expectedName: String { "object" }

    func findBeforeAsking() async throws(DownloadError) -> TargetFinding {
        let parts = target.parts.value
        guard let representation = parts.representation, !parts.recorded.isEmpty else {
            return .nothing(notes: [], absent: nil)
        }
        let recovery = Recovery(
            representation: representation,
            source: parts.source,
            have: parts.durable,
            notes: []
        )
        return .resumable(MemoryStore(target), recovery)
    }

    func open(
        _ response: TargetResponse,
        drop: () async -> Void
    ) async throws(DownloadError) -> TargetFinding {
        target.parts.update { $0.begin(response.representation, from: response.source) }
        return .created(MemoryStore(target), notes: [])
    }
}

private struct MemoryFinishing: TargetFinishing {
    private let target: MemoryTarget

    init(_ target: MemoryTarget) { self.target = target }

    func finish(_ complete: CompleteTarget) async throws(DownloadError) -> FinishedTarget {
        guard target.parts.update({ $0.finish(total: complete.total) }) else {
            throw DownloadError(.unknown, "parts of the object are missing")
        }
        return FinishedTarget(path: MemoryTarget.place, name: "object", size: complete.total)
    }

    func keepAsCorrupt(
        _ store: any TargetStore,
        total: Int64,
        _ error: DownloadError
    ) async throws(DownloadError) -> String? {
        try store.discard()
        return nil
    }
}
