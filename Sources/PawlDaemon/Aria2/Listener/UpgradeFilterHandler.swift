internal import NIOCore
internal import NIOHTTP1

/// Removes `Upgrade` from a request that cannot be upgraded, so that it is answered as any other
/// (RFC 9110 §7.8).
///
/// NIO's handler would refuse the upgrade, too, but would not pass the request on before the next
/// bytes of the client.
final class UpgradeFilterHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    private let responder: Aria2Responder

    init(_ responder: Aria2Responder) { self.responder = responder }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data), head.headers.contains(name: "Upgrade"),
            !isWebSocket(head)
                || !responder.accepts(head, from: context.channel.peerAddress)
        else { return context.fireChannelRead(data) }
        head.headers.remove(name: "Upgrade")
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    /// Whether it is a complete handshake (RFC 6455 §4.2.1).
    private func isWebSocket(_ head: HTTPRequestHead) -> Bool {
        let fields = head.headers
        return head.method == .GET && head.version == .http1_1
            && fields["Upgrade"].map { $0.lowercased() } == ["websocket"]
            && fields[canonicalForm: "Connection"].contains { $0.lowercased() == "upgrade" }
            && fields["Sec-WebSocket-Version"] == ["13"] && fields["Sec-WebSocket-Key"].count == 1
    }
}
