import PawlCore
import Synchronization

/// What a download's sink receives.
enum SinkMoment: Sendable, Equatable {
    /// The total number of bytes of the body so far.
    case received(Int)
    case ended
}

/// The real transport with an observer of what its sinks receive.
struct WatchedTransport: Transport {
    let real: any Transport
    let look: @Sendable (SinkMoment) -> Void

    func start(_ request: TransferRequest, sink: any TransferSink) -> any Transfer {
        real.start(request, sink: WatchedSink(real: sink, look: look))
    }
}

private final class WatchedSink: TransferSink {
    private let real: any TransferSink
    private let look: @Sendable (SinkMoment) -> Void
    private let count = Atomic<Int>(0)

    init(real: any TransferSink, look: @escaping @Sendable (SinkMoment) -> Void) {
        self.real = real
        self.look = look
    }

    func transferReceived(_ head: ResponseHead) -> HeadDecision { real.transferReceived(head) }

    func transferReceived(_ bytes: UnsafeRawBufferPointer) -> BodyDecision {
        let answer = real.transferReceived(bytes)
        look(.received(count.add(bytes.count, ordering: .relaxed).newValue))
        return answer
    }

    func transferNudged() -> BodyDecision { real.transferNudged() }

    func transferEnded(_ end: TransferEnd) {
        look(.ended)
        real.transferEnded(end)
    }
}
