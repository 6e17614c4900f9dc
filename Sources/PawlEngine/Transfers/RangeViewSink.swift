internal import PawlCore

/// Passes the response of a part on to the sink of a file.
///
/// `@unchecked Sendable`: the variables are touched only by the network's thread, one call at a
/// time.
final class RangeViewSink: TransferSink, @unchecked Sendable {
    private let sink: any TransferSink
    private let view: RangeView
    private let isWhole: Bool
    /// The bytes of the body that belong to the part.
    private var wanted = ByteRange(0, .max)
    private var position: Int64 = 0
    /// Whether all bytes of the part were received, and others followed.
    private var hasCut = false

    init(_ sink: any TransferSink, _ view: RangeView, isWhole: Bool) {
        (self.sink, self.view, self.isWhole) = (sink, view, isWhole)
    }

    func transferReceived(_ head: ResponseHead) -> HeadDecision {
        let seen = view.view(head, isWhole: isWhole)
        wanted = seen.body
        return sink.transferReceived(seen.head)
    }

    func transferSent(_ count: Int64) { sink.transferSent(count) }

    func transferReceived(_ bytes: UnsafeRawBufferPointer) -> BodyDecision {
        let received = ByteRange(position, position + Int64(bytes.count))
        let start = position
        position = received.end
        let own = received.intersection(wanted)
        hasCut = hasCut || received.end > wanted.end
        guard !own.isEmpty else { return received.start >= wanted.end ? .stop : .more }
        let piece = UnsafeRawBufferPointer(
            rebasing: bytes[Int(own.start - start)..<Int(own.end - start)]
        )
        let decision = sink.transferReceived(piece)
        if case .more = decision, own.end == wanted.end, received.end > own.end { return .stop }
        return decision
    }

    func transferNudged() -> BodyDecision { sink.transferNudged() }

    func transferEnded(_ end: TransferEnd) {
        var end = end
        // The part is complete, although the response is not.
        if hasCut, end.outcome == .stopped { end.outcome = .completed }
        sink.transferEnded(end)
    }
}
