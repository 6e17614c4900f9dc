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
    private var failure: DownloadError?
    private var small: SmallBody?

    init(order: TransferOrder, cursor: TransferCursor, context: TransferContext) {
        self.order = order
        self.cursor = cursor
        self.context = context
        position = order.range == nil ? 0 : order.start
        provenEnd = order.end
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
        let skipped = Int(clamping: min(Int64(bytes.count), max(0, cursor.position - position)))
        position += Int64(skipped)
        if skipped > 0 { cursor.skip(skipped) }
        let kept = UnsafeRawBufferPointer(rebasing: bytes[skipped...])
        let end = min(cursor.end, provenEnd)
        let count = Int(clamping: min(Int64(kept.count), max(0, end - position)))
        if count > 0 {
            guard write(UnsafeRawBufferPointer(rebasing: kept[..<count])) else { return .stop }
        }
        // Bytes behind the end are not ours; a response that ends just there may end cleanly.
        if count < kept.count || (position >= cursor.end && cursor.end < provenEnd) { return .stop }
        return answer(after: count, of: bytes.count)
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

    private func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
        do throws(DownloadError) {
            guard let store = store ?? context.store.current else {
                throw DownloadError(.unknown, "bytes came before their file was there")
            }
            self.store = store
            try store.write(bytes, at: position)
        } catch {
            failure = error
            return false
        }
        position += Int64(bytes.count)
        cursor.moved(to: position)
        return true
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
