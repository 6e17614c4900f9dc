import PawlCore
import Synchronization

/// What a download's sink is told.
enum SinkMoment: Sendable, Equatable {
    /// So many bytes of the body, all together.
    case received(Int)
    case ended
}

/// The real transport, and somebody who sees what its sinks were told.
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

    func transferReceived(_ head: ResponseHead) -> HeadAnswer { real.transferReceived(head) }

    func transferReceived(_ bytes: UnsafeRawBufferPointer) -> BodyAnswer {
        let answer = real.transferReceived(bytes)
        look(.received(count.add(bytes.count, ordering: .relaxed).newValue))
        return answer
    }

    func transferNudged() -> BodyAnswer { real.transferNudged() }

    func transferEnded(_ end: TransferEnd) {
        look(.ended)
        real.transferEnded(end)
    }
}
