internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPTypes

/// Closes a connection whose client takes too long.
final class SlowClientHandler<Request: HTTPMessagePart, Response: HTTPMessagePart>:
    ChannelDuplexHandler, RemovableChannelHandler
{
    typealias InboundIn = Request
    typealias InboundOut = Request
    typealias OutboundIn = Response
    typealias OutboundOut = Response

    private var clock: ConnectionClock
    private var timer: Scheduled<Void>?
    private var timerDeadline: ContinuousClock.Instant?

    /// `awaitsHead`: whether the client has to send the head of a request.
    init(_ limits: ConnectionLimits, awaitsHead: Bool = true) {
        clock = ConnectionClock(limits, at: .now, awaitsHead: awaitsHead)
    }

    func handlerAdded(context: ChannelHandlerContext) { schedule(context) }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        timer = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data).kind {
        case .head: handle(.headReceived, context)
        case .end: handle(.bodyEnded, context)
        case .body: break
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if unwrapOutboundIn(data).kind == .end { handle(.responseEnded, context) }
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
        let nanoseconds = max(0, (deadline - .now) / .nanoseconds(1))
        let loop = context.eventLoop.assumeIsolated()
        timer = loop.scheduleTask(in: .nanoseconds(Int64(nanoseconds))) { self.fired(context) }
    }

    private func fired(_ context: ChannelHandlerContext) {
        (timer, timerDeadline) = (nil, nil)
        guard let deadline = clock.deadline else { return }
        guard deadline <= .now else { return schedule(context) }
        context.close(promise: nil)
    }
}

/// The kinds of the parts of an HTTP message.
enum HTTPPartKind: Sendable {
    case head, body, end
}

/// A part of an HTTP message, as one of NIO's codecs represents it.
protocol HTTPMessagePart {
    var kind: HTTPPartKind { get }
}

extension HTTPRequestPart: HTTPMessagePart {
    var kind: HTTPPartKind {
        switch self {
        case .head: .head
        case .body: .body
        case .end: .end
        }
    }
}

extension HTTPResponsePart: HTTPMessagePart {
    var kind: HTTPPartKind {
        switch self {
        case .head: .head
        case .body: .body
        case .end: .end
        }
    }
}

extension HTTPPart: HTTPMessagePart {
    var kind: HTTPPartKind {
        switch self {
        case .head: .head
        case .body: .body
        case .end: .end
        }
    }
}
