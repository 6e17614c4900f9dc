internal import NIOCore
internal import NIOHTTPTypes

/// Ends a connection whose client takes too long.
final class SlowClientHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private var clock: ConnectionClock
    private var timer: Scheduled<Void>?
    private var timerDeadline: ContinuousClock.Instant?

    init(_ limits: ConnectionLimits) { clock = ConnectionClock(limits, at: .now) }

    func handlerAdded(context: ChannelHandlerContext) { wind(context) }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        timer = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: handle(.headCame, context)
        case .end: handle(.bodyEnded, context)
        case .body: break
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) { handle(.answerEnded, context) }
        context.write(data, promise: promise)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        handle(context.channel.isWritable ? .becameWritable : .becameFull, context)
        context.fireChannelWritabilityChanged()
    }

    private func handle(_ event: ConnectionClock.Event, _ context: ChannelHandlerContext) {
        clock.handle(event, at: .now)
        wind(context)
    }

    /// Restarts a timer that fires too early, so there are few timers instead of one per request.
    private func wind(_ context: ChannelHandlerContext) {
        guard let deadline = clock.deadline else { return }
        if let timerDeadline, timerDeadline <= deadline { return }
        timer?.cancel()
        timerDeadline = deadline
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let nanoseconds = max(0, (deadline - .now) / .nanoseconds(1))
        timer = context.eventLoop.scheduleTask(in: .nanoseconds(Int64(nanoseconds))) {
            let (handler, context) = bound.value
            handler.ring(context)
        }
    }

    private func ring(_ context: ChannelHandlerContext) {
        (timer, timerDeadline) = (nil, nil)
        guard let deadline = clock.deadline else { return }
        guard deadline <= .now else { return wind(context) }
        context.close(promise: nil)
    }
}
