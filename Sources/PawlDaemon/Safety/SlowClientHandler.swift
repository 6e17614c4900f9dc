internal import NIOCore
internal import NIOHTTPTypes

/// Closes a connection whose client takes too long.
final class SlowClientHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private var clock: ConnectionClock
    private var timer: Scheduled<Void>?
    private var timerDeadline: ContinuousClock.Instant?

    init(_ limits: ConnectionLimits) { clock = ConnectionClock(limits, at: .now) }

    func handlerAdded(context: ChannelHandlerContext) { schedule(context) }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        timer = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: handle(.headReceived, context)
        case .end: handle(.bodyEnded, context)
        case .body: break
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) { handle(.responseEnded, context) }
        context.write(data, promise: promise)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        handle(context.channel.isWritable ? .becameWritable : .becameFull, context)
        context.fireChannelWritabilityChanged()
    }

    private func handle(_ event: ConnectionClock.Event, _ context: ChannelHandlerContext) {
        clock.handle(event, at: .now)
        schedule(context)
    }

    /// Schedules the timer for the deadline.
    ///
    /// A timer that fires before the deadline is scheduled again: that is cheaper than one timer
    /// per request.
    private func schedule(_ context: ChannelHandlerContext) {
        guard let deadline = clock.deadline else { return }
        if let timerDeadline, timerDeadline <= deadline { return }
        timer?.cancel()
        timerDeadline = deadline
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let nanoseconds = max(0, (deadline - .now) / .nanoseconds(1))
        timer = context.eventLoop.scheduleTask(in: .nanoseconds(Int64(nanoseconds))) {
            let (handler, context) = bound.value
            handler.fired(context)
        }
    }

    private func fired(_ context: ChannelHandlerContext) {
        (timer, timerDeadline) = (nil, nil)
        guard let deadline = clock.deadline else { return }
        guard deadline <= .now else { return schedule(context) }
        context.close(promise: nil)
    }
}
