internal import NIOCore

extension Channel {
    /// Begins to wait for the event loop to know the channel, because the channel cannot be closed
    /// earlier.
    ///
    /// Call this before the channel may be registered. The future succeeds when the channel is active
    /// or was closed.
    func activation() async throws -> EventLoopFuture<Void> {
        try await eventLoop.submit {
            let promise = self.eventLoop.makePromise(of: Void.self)
            do {
                try self.pipeline.syncOperations.addHandler(ActivationHandler(promise))
            } catch {
                promise.succeed()
                throw error
            }
            return promise.futureResult
        }.get()
    }
}

/// Notices that a channel is active, or was closed before.
private final class ActivationHandler: ChannelInboundHandler {
    typealias InboundIn = Any

    private var activation: EventLoopPromise<Void>?

    init(_ activation: EventLoopPromise<Void>) { self.activation = activation }

    func channelActive(context: ChannelHandlerContext) {
        complete()
        context.fireChannelActive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { complete() }

    private func complete() {
        activation?.succeed()
        activation = nil
    }
}
