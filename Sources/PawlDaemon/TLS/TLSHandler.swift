internal import NIOCore

/// Speaks TLS with the client of a connection, below HTTP.
///
/// The time limit for the first head, which `SlowClientHandler` observes, includes the handshake.
final class TLSHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Phase {
        /// The client has sent nothing.
        case new
        case open
        /// The client speaks HTTP without TLS, which is passed on as it is.
        case plain
        /// What the client sends is ignored, and nothing more is written.
        case closed
    }

    private struct NotOpen: Error {}

    private let session: TLSSession
    private let allowsPlain: Bool
    private let failed: @Sendable (TLSSession.Failure) -> Void
    private var phase = Phase.new
    /// Whether the end of the client's stream was passed on.
    private var hasInputEnded = false
    private var hasOutputEnded = false

    /// - Parameters:
    ///   - allowsPlain: Whether the client may also speak HTTP without TLS.
    ///   - failed: Called if the client does not follow the protocol.
    init(
        _ session: TLSSession,
        allowsPlain: Bool = false,
        failed: @escaping @Sendable (TLSSession.Failure) -> Void
    ) {
        (self.session, self.allowsPlain, self.failed) = (session, allowsPlain, failed)
    }

    // MARK: - From the client

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        if phase == .new, let first = bytes.getInteger(at: bytes.readerIndex, as: UInt8.self) {
            // A handshake begins with 0x16, a request with the name of its method.
            let isPlain = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first)
            guard !isPlain || allowsPlain else { return refusePlainHTTP(context) }
            phase = isPlain ? .plain : .open
        }
        guard phase != .plain else { return context.fireChannelRead(data) }
        guard phase == .open, !hasInputEnded else { return }
        do throws(TLSSession.Failure) {
            try session.receive(bytes)
            try passOnBytes(context)
        } catch {
            fail(error, context)
        }
    }

    private func passOnBytes(_ context: ChannelHandlerContext) throws(TLSSession.Failure) {
        while phase == .open {
            switch try session.read(context.channel.allocator) {
            case .bytes(let bytes): context.fireChannelRead(wrapInboundOut(bytes))
            case .needsMore: return sendOutput(context)
            case .end:
                sendOutput(context)
                return endInput(context)
            }
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        // The answers of the handshake.
        context.flush()
        context.fireChannelReadComplete()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard phase != .plain, let event = event as? ChannelEvent, event == .inputClosed else {
            return context.fireUserInboundEventTriggered(event)
        }
        // A request without its end is noticed by HTTP, so an end without close_notify is allowed.
        guard phase != .open || session.isHandshakeComplete else {
            return context.close(promise: nil)
        }
        endInput(context)
    }

    /// Passes on the end of the client's stream, once.
    private func endInput(_ context: ChannelHandlerContext) {
        guard !hasInputEnded else { return }
        hasInputEnded = true
        context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    }

    // MARK: - To the client

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard phase != .plain else { return context.write(data, promise: promise) }
        guard phase == .open, !hasOutputEnded, session.isHandshakeComplete else {
            promise?.fail(NotOpen())
            return
        }
        let bytes = unwrapOutboundIn(data)
        guard bytes.readableBytes > 0 else {
            return context.write(wrapOutboundOut(bytes), promise: promise)
        }
        do throws(TLSSession.Failure) {
            try session.write(bytes, context.channel.allocator) { piece, isLast in
                context.write(wrapOutboundOut(piece), promise: isLast ? promise : nil)
            }
        } catch {
            promise?.fail(error)
            fail(error, context)
        }
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if mode != .input, phase == .open, !hasOutputEnded {
            hasOutputEnded = true
            session.endOutput()
            sendOutput(context)
            context.flush()
        }
        if mode == .all, phase != .plain { phase = .closed }
        context.close(mode: mode, promise: promise)
    }

    private func sendOutput(_ context: ChannelHandlerContext) {
        guard let bytes = session.takeOutput(context.channel.allocator) else { return }
        context.write(wrapOutboundOut(bytes), promise: nil)
    }

    // MARK: - Failures

    private func fail(_ failure: TLSSession.Failure, _ context: ChannelHandlerContext) {
        guard phase == .open else { return }
        phase = .closed
        failed(failure)
        // The alert that states the reason.
        sendOutput(context)
        context.flush()
        context.close(promise: nil)
    }

    /// Answers a client that does not speak TLS, and waits until it has read the answer.
    private func refusePlainHTTP(_ context: ChannelHandlerContext) {
        phase = .closed
        failed(TLSSession.Failure(reason: "the client speaks HTTP without TLS"))
        var answer = context.channel.allocator.buffer(capacity: Self.plainAnswer.utf8.count)
        answer.writeString(Self.plainAnswer)
        context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
        // If the connection was closed with unread bytes, the client might lose the answer.
        context.close(mode: .output, promise: nil)
    }

    private static let plainAnswer: String = {
        let text = "This port speaks HTTPS: use a URL that begins with https://.\n"
        return "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\n"
            + "Content-Length: \(text.utf8.count)\r\nConnection: close\r\n\r\n\(text)"
    }()
}
