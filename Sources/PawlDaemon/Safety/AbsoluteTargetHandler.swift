internal import NIOCore
internal import NIOHTTP1
internal import PawlCore

/// Replaces `Host` by the host of the request line, if that names one (RFC 9112 §3.2.2).
///
/// The server's codec drops that host, so this handler comes before it. Otherwise `RequestGuard`
/// would see `Host` alone, and allow `GET http://other/ HTTP/1.1` with the daemon's own `Host`.
final class AbsoluteTargetHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data),
            let host = Self.host(of: head.uri)
        else { return context.fireChannelRead(data) }
        // A request with several `Host` fields is refused later.
        if head.headers[canonicalForm: "Host"].count <= 1 {
            head.headers.replaceOrAdd(name: "Host", value: String(host))
        }
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    /// Returns `nil` for a path and for the `*` of OPTIONS; any other target without a scheme
    /// counts as a host, which is refused.
    static func host(of target: String) -> Substring? {
        guard !target.isAbsolutePath, target != "*" else { return nil }
        let target = target[...]
        guard let mark = target.firstRange(of: "://") else { return target }
        return target[mark.upperBound...].prefix { !"/?#".contains($0) }
    }
}
