internal import PawlCore
internal import PawlStorage

/// Takes one transfer's head and bytes on the network's thread, and writes them where they belong.
///
/// `@unchecked Sendable`: the variables are touched by the network's thread alone, one call at a
/// time, after `init`.
final class SegmentSink: TransferSink, @unchecked Sendable {
    private let order: TransferOrder
    private let context: TransferContext
    private let cursor: TransferCursor
    private var store: PartialStore?
    /// Where the next byte of the response belongs, skipped bytes included.
    private var position: Int64
    /// Behind the last byte that the head proved: a body that goes on is not to be believed.
    private var provenEnd: Int64
    /// The end behind which bytes are compared, from its first byte on.
    private var comparedEnd: Int64?
    private var failure: DownloadError?
    private var small: SmallBody?

    init(order: TransferOrder, cursor: TransferCursor, context: TransferContext) {
        self.order = order
        self.cursor = cursor
        self.context = context
        position = order.range?.start ?? 0
        // No byte is taken before a head that was accepted says which it is.
        provenEnd = position
    }

    func transferReceived(_ head: ResponseHead) -> HeadAnswer {
        let verdict = HeadJudge.judge(head, expecting: order.expectation)
        if case .pin(let representation, let acceptsRanges) = verdict {
            small = smallBody(head, representation, acceptsRanges)
            if small != nil {
                position = 0
                return .take
            }
        }
        context.mailbox.post(.headJudged(order.id, verdict, head))
        switch verdict {
        case .write(let range, _):
            provenEnd = range.end
            return .take
        case .pin(let representation, _), .whole(let representation, _):
            // Whatever was asked for, this body begins at the file's first byte.
            position = 0
            provenEnd = representation.total ?? .max
            return .hold
        default: return .refuse
        }
    }

    func transferReceived(_ bytes: UnsafeRawBufferPointer) -> BodyAnswer {
        guard let small else { return take(bytes) }
        small.append(bytes)
        // They are in no file yet, so they are not written: the ledger must not count them.
        cursor.skip(bytes.count)
        return answer(after: 0, of: bytes.count)
    }

    /// A body that takes too long goes to a file after all: the driver writes what is here so far.
    func transferNudged() -> BodyAnswer {
        guard let small = handOver() else { return .more }
        position = Int64(small.bytes.count)
        provenEnd = small.representation.total ?? .max
        context.mailbox.post(.overdue(order.id, small))
        return .hold
    }

    private func take(_ bytes: UnsafeRawBufferPointer) -> BodyAnswer {
        let edge = cursor.currentEdge
        var rest = bytes
        let skipped = min(Int64(bytes.count), max(0, cursor.position - position))
        guard pass(&rest, Int(clamping: skipped), comparing: cursor.isComparing) else {
            return .stop
        }
        let end = min(edge.end, provenEnd)
        let count = Int(clamping: min(Int64(rest.count), max(0, end - position)))
        guard write(&rest, count) else { return .stop }
        // Bytes behind the end are not ours, but may have to be those that are there.
        let last = min(edge.isProven ? edge.end + Seam.tailBytes : edge.end, provenEnd)
        if edge.isProven, position >= edge.end, position < last {
            // One that had passed its end before that was set has overwritten what it would prove.
            guard position == edge.end || comparedEnd == edge.end else { return .stop }
            comparedEnd = edge.end
            let count = Int(clamping: min(Int64(rest.count), last - position))
            guard pass(&rest, count, comparing: true) else { return .stop }
            if position == last { cursor.proved(edge.end) }
        }
        // A response that ends just there may end cleanly.
        if !rest.isEmpty || (position >= last && last < provenEnd) { return .stop }
        return answer(after: count, of: bytes.count)
    }

    /// Takes bytes that are there already; false where they must be the same and are not.
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
                context.mailbox.post(.seamDiffered(order.id))
                return false
            }
        }
        position += Int64(count)
        cursor.skip(count)
        bytes = UnsafeRawBufferPointer(rebasing: bytes[count...])
        return true
    }

    /// Nil where that cannot be read.
    private func isThere(_ bytes: UnsafeRawBufferPointer) -> Bool? {
        do throws(DownloadError) {
            return try currentStore().holds(bytes, at: position)
        } catch {
            failure = error
            return nil
        }
    }

    func transferEnded(_ end: TransferEnd) {
        if let small = handOver() {
            let isWhole = end.outcome == .completed && small.isWhole
            return context.mailbox.post(
                isWhole ? .arrived(order.id, small) : .brokeOff(order.id, small, end)
            )
        }
        context.mailbox.post(.transferEnded(order.id, end, failure))
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
        if body != nil { cursor.collects(until: context.time.now() + SmallBodyBudget.patience) }
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
            try currentStore().write(piece, at: position)
        } catch {
            failure = error
            return false
        }
        bytes = UnsafeRawBufferPointer(rebasing: bytes[count...])
        position += Int64(count)
        cursor.moved(to: position)
        return true
    }

    private func currentStore() throws(DownloadError) -> PartialStore {
        if let store { return store }
        guard let store = context.store.current else {
            throw DownloadError(.unknown, "bytes came before their file was there")
        }
        self.store = store
        return store
    }

    private func answer(after written: Int, of received: Int) -> BodyAnswer {
        let (pulse, control, limits) = (context.pulse, context.control, context.limits)
        pulse.wrote(written)
        let isLimited = limits.isLimited
        let changes = isLimited ? limits.changes : 0
        let now = isLimited ? context.time.now() : .zero
        let wait = isLimited ? limits.charge(bytes: received, now: now) : .zero
        if cursor.hold(while: { pulse.isBehind || control?.isSuspended == true }) { return .hold }
        guard wait > .zero else { return .more }
        cursor.pause(until: now + wait)
        // Who has changed a limit meanwhile has found no pause to end.
        guard limits.changes == changes else {
            cursor.pause(until: now)
            return .more
        }
        return .pause(wait)
    }
}
