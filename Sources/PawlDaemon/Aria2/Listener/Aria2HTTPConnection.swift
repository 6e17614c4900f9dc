internal import NIOCore
internal import NIOHTTP1
internal import struct PawlCore.HTTPDate
internal import Glibc

/// Answers the HTTP requests of one connection, one after the other.
struct Aria2HTTPConnection: Sendable {
    typealias Channel = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>

    let responder: Aria2Responder
    let client: Aria2Client
    /// Called after each response.
    let answered: @Sendable () -> Void

    func run(_ channel: Channel) async throws {
        try await channel.executeThenClose { inbound, outbound in
            var request: HTTPRequestHead?
            var body = ByteBuffer()
            var isTooLarge = false
            for try await part in inbound {
                switch part {
                case .head(let head): (request, body, isTooLarge) = (head, ByteBuffer(), false)
                case .body(var piece):
                    // The rest of a body that is too large is read, so that the client gets the
                    // response; the time of a body is limited.
                    isTooLarge =
                        isTooLarge
                        || body.readableBytes + piece.readableBytes > Aria2Responder.mostBytes
                    if isTooLarge { body.clear() } else { body.writeBuffer(&piece) }
                case .end:
                    guard let head = request else { continue }
                    let bytes = Array(body.readableBytesView)
                    let response =
                        isTooLarge
                        ? Aria2Responder.tooLarge
                        : await responder.respond(to: head, bytes, client)
                    let isLast = !head.isKeepAlive || response.endsDaemon || isTooLarge
                    // The client may be gone.
                    defer { if response.endsDaemon { responder.service.shutDown.send() } }
                    try await write(response, to: head, isLast: isLast, outbound)
                    answered()
                    if isLast { return }
                }
            }
        }
    }

    private func write(
        _ response: Aria2Responder.Response,
        to request: HTTPRequestHead,
        isLast: Bool,
        _ outbound: NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>
    ) async throws {
        var fields = HTTPHeaders([
            ("Access-Control-Allow-Origin", "*"),
            ("Cache-Control", "no-store"),
            ("Content-Length", "\(response.body.count)"),
            ("Date", HTTPDate(secondsSince1970: Int64(time(nil))).text),
            ("X-Content-Type-Options", "nosniff"),
        ])
        if let type = response.mediaType { fields.add(name: "Content-Type", value: type) }
        if isLast { fields.add(name: "Connection", value: "close") }
        fields.add(contentsOf: response.fields)
        let head = HTTPResponseHead(version: .http1_1, status: response.status, headers: fields)
        var parts: [HTTPServerResponsePart] = [.head(head)]
        // A response to HEAD has the length of the body, but no body (RFC 9110 §9.3.2).
        if request.method != .HEAD {
            parts.append(.body(.byteBuffer(ByteBuffer(bytes: response.body))))
        }
        try await outbound.write(contentsOf: parts + [.end(nil)])
    }
}
