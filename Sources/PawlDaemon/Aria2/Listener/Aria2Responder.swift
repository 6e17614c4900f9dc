internal import NIOCore
internal import NIOHTTP1
internal import PawlCore

/// Answers HTTP requests to aria2's RPC.
struct Aria2Responder: Sendable {
    let service: Aria2Service
    let hosts: Aria2Hosts

    /// The maximum size of a body or a message, which contains the secret and is read before it.
    static let mostBytes = RequestBody.mostBytes

    struct Response: Sendable {
        var status: HTTPResponseStatus
        var mediaType: String?
        var body: [UInt8] = []
        var fields: [(String, String)] = []
        /// Whether the daemon ends after the response.
        var endsDaemon = false
    }

    static let tooLarge = Response(status: .payloadTooLarge)

    /// Whether a request may be answered on a WebSocket.
    func accepts(_ head: HTTPRequestHead) -> Bool {
        hosts.allow(head.headers["Host"]) && Self.path(head) == Aria2Path.json
    }

    func respond(
        to head: HTTPRequestHead,
        _ body: [UInt8],
        _ client: Aria2Client
    ) async -> Response {
        guard hosts.allow(head.headers["Host"]) else {
            let text =
                "the Host field of the request does not name this daemon; use \(hosts.text)\n"
            return Response(
                status: .misdirectedRequest,
                mediaType: "text/plain; charset=utf-8",
                body: Array(text.utf8)
            )
        }
        var request = Aria2Request(service, client)
        var response: Response
        switch (head.method, Self.path(head)) {
        case (.OPTIONS, Aria2Path.json), (.OPTIONS, Aria2Path.xml):
            response = Self.preflight(head)
        case (.POST, Aria2Path.json):
            response = Self.response(await JSONRPC.answer(body, &request))
        case (.GET, Aria2Path.json):
            response = await answer(query: head.uri, &request)
        case (.POST, Aria2Path.xml):
            if let body = await XMLRPC.answer(body, &request) {
                response = Response(status: .ok, mediaType: "text/xml", body: body)
            } else {
                response = Response(status: .badRequest)
            }
        case (_, Aria2Path.json), (_, Aria2Path.xml):
            response = Response(status: .methodNotAllowed)
        default: response = Response(status: .notFound)
        }
        response.endsDaemon = request.endsDaemon
        return response
    }

    private func answer(query uri: String, _ request: inout Aria2Request) async -> Response {
        let query = uri.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        guard let call = JSONRPC.call(inQuery: query) else {
            return Self.response(await JSONRPC.answer([], &request))
        }
        return Self.response(await JSONRPC.answer(call, &request))
    }

    private static func path(_ head: HTTPRequestHead) -> String {
        String(head.uri.prefix { $0 != "?" && $0 != "#" })
    }

    private static func response(_ answer: JSONRPC.Answer) -> Response {
        Response(
            status: HTTPResponseStatus(statusCode: answer.status),
            mediaType: "application/json-rpc",
            body: answer.body
        )
    }

    /// Allows a page of any origin to send the request: without a secret it has no effect, and no
    /// cookie is used.
    private static func preflight(_ head: HTTPRequestHead) -> Response {
        var response = Response(status: .ok)
        response.fields = [
            ("Access-Control-Allow-Methods", "POST, GET, OPTIONS"),
            ("Access-Control-Allow-Headers", "Content-Type"),
            ("Access-Control-Max-Age", "1728000"),
        ]
        // Browsers ask before a page of a public server may send requests to this machine.
        if head.headers.contains(name: "Access-Control-Request-Private-Network") {
            response.fields.append(("Access-Control-Allow-Private-Network", "true"))
        }
        return response
    }
}
