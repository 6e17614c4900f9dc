internal import NIOCore
internal import NIOHTTP1

/// Makes the host of a request line count if it names one (RFC 9112 §3.2.2).
///
/// It precedes the server's codec, which drops that host. Otherwise the guard would check only
/// `Host`, and `GET http://other/ HTTP/1.1` with our own `Host` would pass.
final class AbsoluteTargetHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data),
            let host = Self.host(of: head.uri)
        else { return context.fireChannelRead(data) }
        // A request with several is refused for that.
        if head.headers[canonicalForm: "Host"].count <= 1 {
            head.headers.replaceOrAdd(name: "Host", value: String(host))
        }
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    /// Returns the host of a target; `nil` for a path, and for the `*` of OPTIONS.
    ///
    /// For any other target it is the whole text, which is not a valid host.
    static func host(of target: String) -> Substring? {
        guard !target.hasPrefix("/"), target != "*" else { return nil }
        let target = target[...]
        guard let mark = target.firstRange(of: "://") else { return target }
        return target[mark.upperBound...].prefix { !"/?#".contains($0) }
    }
}
