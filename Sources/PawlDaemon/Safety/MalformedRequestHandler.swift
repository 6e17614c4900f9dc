internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPTypes
internal import PawlCore
internal import PawlWire

/// Explains what is wrong with a request that is not valid HTTP; the server itself responds with
/// 400 without a body.
///
/// It replaces the server's response when that is written, not when the fault is found: the
/// responses to earlier requests come first.
final class MalformedRequestHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private var fault: HTTPParserError?

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fault = fault ?? error as? HTTPParserError
        context.fireErrorCaught(error)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard let fault, case .head(let head) = unwrapOutboundIn(data), Self.isBare(head),
            let body = try? WireJSON.encode(fault.problem)
        else { return context.write(data, promise: promise) }
        var answer = HTTPResponse(
            status: fault.status,
            headerFields: [
                .connection: "close", .contentType: Problem.mediaType,
                .contentLength: "\(body.count)",
            ]
        )
        ResponseFields.add(to: &answer.headerFields)
        context.write(wrapOutboundOut(.head(answer)), promise: nil)
        context.write(wrapOutboundOut(.body(ByteBuffer(bytes: body))), promise: promise)
    }

    /// Whether it is the server's own response to a request that it cannot parse.
    private static func isBare(_ head: HTTPResponse) -> Bool {
        head.status == .badRequest && head.headerFields[.contentLength] == "0"
    }
}

extension HTTPParserError {
    fileprivate var status: HTTPResponse.Status {
        switch self {
        case .headerOverflow: .requestHeaderFieldsTooLarge
        case .invalidVersion: .httpVersionNotSupported
        default: .badRequest
        }
    }

    fileprivate var problem: Problem {
        let (message, advice): (String, Advice) =
            switch self {
            case .headerOverflow:
                ("the request header is too long, or has too many fields", "send a shorter header")
            case .invalidVersion:
                ("the request uses another version of HTTP", "send HTTP/1.1")
            case .invalidMethod:
                (
                    "the request is not HTTP, or its method is invalid",
                    "send HTTP/1.1 without TLS; /openapi.yaml has the methods"
                )
            case .invalidURL, .invalidCharactersUsed:
                (
                    "the request's target is invalid",
                    "percent-encode the characters that a URL must not contain"
                )
            default:
                (
                    "the request is not valid HTTP/1.1",
                    "send HTTP/1.1 without TLS, with one length or in chunks; see /openapi.yaml"
                )
            }
        let error = DownloadError.usage(message, advice: advice)
        return Problem(error, status: status.code)
    }
}
