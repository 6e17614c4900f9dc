internal import PawlCore

/// Receives one transfer's head and bytes on the network's thread, and writes the bytes to their
/// position.
///
/// `@unchecked Sendable`: after `init`, the variables are touched only by the network's thread, one
/// call at a time.
final class SegmentSink: TransferSink, @unchecked Sendable {
    private let planned: PlannedTransfer
    private let context: DownloadContext
    private let cursor: TransferCursor
    private var store: (any TargetStore)?
    /// Whether the store had no room for further bytes after the last piece.
    private var isStoreFull = false
    /// The position of the next byte of the response, counting skipped bytes.
    private var position: Int64
    /// The end of the bytes that the head has proven.
    ///
    /// A body that continues past it is not trusted.
    private var provenEnd: Int64
    /// The end after which bytes are compared, from its first byte on.
    private var comparedEnd: Int64?
    private var failure: DownloadError?
    private var small: SmallBody?
    private var refusal: Refusal?

    /// A response with an error status, of which the body is awaited for a moment.
    private struct Refusal {
        let verdict: HeadVerdict
        let head: ResponseHead
        var body = ErrorBody()
    }

    init(planned: PlannedTransfer, cursor: TransferCursor, context: DownloadContext) {
        self.planned = planned
        self.cursor = cursor
        self.context = context
        position = planned.range?.start ?? 0
        // No byte is accepted before an accepted head has proven its position.
        provenEnd = position
    }

    func transferReceived(_ head: ResponseHead) -> HeadDecision {
        let verdict = HeadJudge.judge(head, expecting: planned.expectation)
        if case .pin(let representation, let acceptsRanges) = verdict {
            small = smallBody(head, representation, acceptsRanges)
            if small != nil {
                position = 0
                return .take
            }
        }
        if case .status = verdict {
            refusal = Refusal(verdict: verdict, head: head)
            cursor.collects(until: context.time.now() + ErrorBody.longestTime)
            return .take
        }
        context.mailbox.post(.headJudged(planned.id, verdict, head))
        switch verdict {
        case .write(let range, _):
            provenEnd = range.end
            return .take
        case .pin(let representation, _), .whole(let representation, _):
            // Whatever range was requested, this body begins at the file's first byte.
            position = 0
            provenEnd = representation.total ?? .max
            return .hold
        default: return .refuse
        }
    }

    func transferReceived(_ bytes: UnsafeRawBufferPointer) -> BodyDecision {
        if refusal != nil {
            if refusal?.body.append(bytes) == true { return .more }
            reportRefusal(isWhole: false)
            return .stop
        }
        guard let small else { return take(bytes) }
        small.append(bytes)
        // These bytes are in no file yet, so the ledger must not count them as written.
        cursor.skip(bytes.count)
        return answer(after: 0, of: bytes.count)
    }

    /// Called when a body takes too long to stay in memory: the driver writes the bytes of a file
    /// received so far, and waits no longer for those of an error.
    func transferNudged() -> BodyDecision {
        guard refusal == nil else {
            reportRefusal(isWhole: false)
            return .stop
        }
        guard let small = handOver() else { return .more }
        position = Int64(small.bytes.count)
        provenEnd = small.representation.total ?? .max
        context.mailbox.post(.overdue(planned.id, small))
        return .hold
    }

    private func take(_ bytes: UnsafeRawBufferPointer) -> BodyDecision {
        let edge = cursor.currentEdge
        var rest = bytes
        let skipped = min(Int64(bytes.count), max(0, cursor.position - position))
        guard pass(&rest, Int(clamping: skipped), comparing: cursor.isComparing) else {
            return .stop
        }
        let end = min(edge.end, provenEnd)
        let count = Int(clamping: min(Int64(rest.count), max(0, end - position)))
        guard write(&rest, count) else { return .stop }
        // Bytes after the end belong to a neighbour, but may have to be compared with the existing
        // ones.
        let last = min(edge.isProven ? edge.end + Seam.tailBytes : edge.end, provenEnd)
        if edge.isProven, position >= edge.end, position < last {
            // A transfer that had passed its end before the end was set has overwritten the bytes
            // to compare.
            guard position == edge.end || comparedEnd == edge.end else { return .stop }
            comparedEnd = edge.end
            let count = Int(clamping: min(Int64(rest.count), last - position))
            guard pass(&rest, count, comparing: true) else { return .stop }
            if position == last { cursor.proved(edge.end) }
        }
        // A response that ends exactly there may end cleanly.
        if !rest.isEmpty || (position >= last && last < provenEnd) { return .stop }
        return answer(after: count, of: bytes.count)
    }

    /// Passes over bytes that exist already.
    ///
    /// Returns `false` if they must be equal and are not.
    private func pass(
        _ bytes: inout UnsafeRawBufferPointer,
        _ count: Int,
        comparing: Bool
    ) -> Bool {
        guard count > 0 else { return true }
        let passed = UnsafeRawBufferPointer(rebasing: bytes[..<count])
        if comparing {
            guard let isThere = isThere(passed) else { return false }
            guard isThere else {
                context.mailbox.post(.seamDiffered(planned.id))
                return false
            }
        }
        position += Int64(count)
        cursor.skip(count)
        bytes = UnsafeRawBufferPointer(rebasing: bytes[count...])
        return true
    }

    /// Whether the bytes equal the existing ones; `nil` if those cannot be read.
    private func isThere(_ bytes: UnsafeRawBufferPointer) -> Bool? {
        do throws(DownloadError) {
            return try currentStore().holds(bytes, at: position)
        } catch {
            failure = error
            return nil
        }
    }

    func transferEnded(_ end: TransferEnd) {
        reportRefusal(isWhole: end.outcome == .completed)
        if let small = handOver() {
            let isWhole = end.outcome == .completed && small.isWhole
            return context.mailbox.post(
                isWhole ? .arrived(planned.id, small) : .brokeOff(planned.id, small, end)
            )
        }
        context.mailbox.post(.transferEnded(planned.id, end, failure))
    }

    private func reportRefusal(isWhole: Bool) {
        guard let refusal else { return }
        self.refusal = nil
        cursor.collects(until: nil)
        context.mailbox.post(.errorBody(refusal.head, refusal.body, isWhole: isWhole))
        context.mailbox.post(.headJudged(planned.id, refusal.verdict, refusal.head))
    }

    // MARK: - Small files

    private func smallBody(
        _ head: ResponseHead,
        _ representation: Representation,
        _ acceptsRanges: Bool
    ) -> SmallBody? {
        guard let budget = context.smallBodies, context.store.current == nil,
            representation.digest == nil || !context.takesServerDigests
        else { return nil }
        let body = SmallBody(
            head,
            representation,
            acceptsRanges: acceptsRanges,
            budget: budget
        )
        if body != nil {
            cursor.collects(until: context.time.now() + SmallBodyBudget.collectingTime)
        }
        return body
    }

    private func handOver() -> SmallBody? {
        guard let small else { return nil }
        self.small = nil
        cursor.collects(until: nil)
        return small
    }

    private func write(_ bytes: inout UnsafeRawBufferPointer, _ count: Int) -> Bool {
        guard count > 0 else { return true }
        do throws(DownloadError) {
            let piece = UnsafeRawBufferPointer(rebasing: bytes[..<count])
            isStoreFull = try currentStore().put(piece, at: position) == .full
        } catch {
            failure = error
            return false
        }
        bytes = UnsafeRawBufferPointer(rebasing: bytes[count...])
        position += Int64(count)
        cursor.moved(to: position)
        return true
    }

    private func currentStore() throws(DownloadError) -> any TargetStore {
        if let store { return store }
        guard let store = context.store.current else {
            throw DownloadError(.unknown, "received bytes before their file was open")
        }
        self.store = store
        return store
    }

    private func answer(after written: Int, of received: Int) -> BodyDecision {
        let (unclaimed, control, limits) = (context.unclaimed, context.control, context.limits)
        let (reader, position, full) = (context.reader, position, isStoreFull ? store : nil)
        unclaimed.wrote(written)
        let isLimited = limits.isLimited
        let changes = isLimited ? limits.changes : 0
        let now = isLimited ? context.time.now() : .zero
        let wait = isLimited ? limits.charge(bytes: received, now: now) : .zero
        let mustWait = {
            unclaimed.isBehind || control?.isSuspended == true
                || reader?.isFarBehind(position) == true || full?.hasRoom(at: position) == false
        }
        if cursor.hold(while: mustWait) { return .hold }
        guard wait > .zero else { return .more }
        cursor.pause(until: now + wait)
        // A limit that was changed meanwhile found no pause to end.
        guard limits.changes == changes else {
            cursor.pause(until: now)
            return .more
        }
        return .pause(wait)
    }
}
