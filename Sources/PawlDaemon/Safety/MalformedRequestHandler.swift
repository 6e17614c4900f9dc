internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPTypes
internal import PawlCore
internal import PawlWire

/// Says what is wrong with a request that is no proper HTTP, where the server would say 400 and no more.
///
/// The server's answer is replaced on its way out, and not written where the fault is found: answers to
/// what was asked before come first.
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
        AnswerFields.add(to: &answer.headerFields)
        context.write(wrapOutboundOut(.head(answer)), promise: nil)
        context.write(wrapOutboundOut(.body(ByteBuffer(bytes: body))), promise: promise)
    }

    /// As the server writes it for what it could not read.
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
        let (message, advice) =
            switch self {
            case .headerOverflow:
                ("the request's head is too long, or has too many fields", "send a shorter one")
            case .invalidVersion:
                ("the request is of another version of HTTP", "send HTTP/1.1")
            case .invalidMethod:
                (
                    "the request is no HTTP, or its method is none",
                    "send HTTP/1.1 without TLS; /openapi.json has the methods"
                )
            case .invalidURL, .invalidCharactersUsed:
                ("the request's target is none", "percent-encode what may not stand in a URL")
            default:
                (
                    "the request is no proper HTTP/1.1",
                    "send HTTP/1.1 without TLS, with one length or in chunks, as /openapi.json says"
                )
            }
        let error = DownloadError(.usage, message, advice: advice)
        return Problem(error, status: status.code)
    }
}
