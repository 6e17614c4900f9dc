internal import NIOCore
internal import NIOHTTP1

/// Has the connection closed after a request whose transfer coding the server does not decode.
///
/// The server cannot know where the body of such a request ends, so what follows may be a part of
/// the body and must not be read as another request (RFC 9112 §6.1, §11.2). The same applies to a
/// transfer coding in HTTP/1.0.
final class UnknownCodingHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data), Self.endIsUnknown(head) else {
            return context.fireChannelRead(data)
        }
        // The server reads no request after one with this field.
        head.headers.replaceOrAdd(name: "Connection", value: "close")
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    private static func endIsUnknown(_ head: HTTPRequestHead) -> Bool {
        let codings = head.headers[canonicalForm: "Transfer-Encoding"].map { $0.lowercased() }
        guard !codings.isEmpty else { return false }
        return codings != ["chunked"] || head.version != .http1_1
    }
}
