internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPTypes
internal import PawlCore
internal import PawlWire

/// Describes what is wrong with a request that is not valid HTTP.
///
/// The server alone would answer only 400.
///
/// The server's answer is replaced when it is sent, not when the fault is found, because answers to
/// earlier requests come first.
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

    /// Whether this is the server's own answer to a request that it could not read.
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
                ("the request has an unsupported version of HTTP", "send HTTP/1.1")
            case .invalidMethod:
                (
                    "the request is not HTTP, or its method is not valid",
                    "send HTTP/1.1 without TLS; /openapi.json lists the methods"
                )
            case .invalidURL, .invalidCharactersUsed:
                (
                    "the request's target is not valid",
                    "percent-encode characters that are not allowed in a URL"
                )
            default:
                (
                    "the request is not valid HTTP/1.1",
                    "send HTTP/1.1 without TLS, with one length or in chunks, as described in /openapi.json"
                )
            }
        let error = DownloadError(.usage, message, advice: advice)
        return Problem(error, status: status.code)
    }
}
