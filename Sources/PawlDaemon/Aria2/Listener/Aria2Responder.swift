internal import NIOCore
internal import NIOHTTP1
internal import PawlCore
internal import PawlWire

/// Answers HTTP requests to aria2's RPC.
struct Aria2Responder: Sendable {
    let service: Aria2Service
    private let address: ListenAddress
    private let authenticator: RequestAuthenticator
    private let tls: CurrentTLS?

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

    init(_ service: Aria2Service, _ socket: NetworkSocket) {
        (self.service, address, tls) = (service, socket.address, socket.tls)
        authenticator = socket.authenticator
    }

    /// The hosts that a request may name now.
    private var hosts: Aria2Hosts {
        var isNamed: (@Sendable (String) -> Bool)?
        if let tls, tls.isOn { isNamed = tls.isFor }
        return Aria2Hosts(address, base: authenticator.base, isNamed: isNamed)
    }

    /// Whether a request that this peer has sent may be answered on a WebSocket.
    func accepts(_ head: HTTPRequestHead, from peer: IPAddress?) -> Bool {
        namesDaemon(head, authenticator.client(from: peer, isSecure: false) { head.headers[$0] })
            && path(head) == Aria2Path.json
    }

    private func namesDaemon(_ head: HTTPRequestHead, _ client: RequestClient) -> Bool {
        hosts.allow(head.headers["Host"], forwarded: client.forwardedHost)
    }

    /// Whether a page of another server has sent a request, according to `Origin`, which some
    /// programs set to the address of the daemon.
    func isOfPage(_ head: HTTPRequestHead) -> Bool {
        let (hosts, named) = (hosts, head.headers["Host"])
        return head.headers["Origin"].contains { !hosts.isOwn(origin: $0, of: named) }
    }

    func respond(
        to head: HTTPRequestHead,
        _ body: [UInt8],
        _ client: Aria2Client
    ) async -> Response {
        let sender = client.sender { head.headers[$0] }
        guard namesDaemon(head, sender) else {
            let text =
                "the Host field of the request does not name this daemon; use \(hosts.text), or set "
                + "the proxy's URL: pawl daemon start --base-url\n"
            return Response(
                status: .misdirectedRequest,
                mediaType: "text/plain; charset=utf-8",
                body: Array(text.utf8)
            )
        }
        var request = Aria2Request(service, client, from: sender.address)
        var response: Response
        switch (head.method, path(head)) {
        case (.OPTIONS, Aria2Path.json), (.OPTIONS, Aria2Path.xml):
            response = Self.preflight(head)
        case (.POST, Aria2Path.json):
            response = Self.response(await JSONRPC.answer(body, &request))
        case (.GET, Aria2Path.json):
            let query = target(head).split(separator: "?", maxSplits: 1).dropFirst().first
            response = Self.response(await JSONRPC.answer(query: query ?? "", &request))
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

    private func path(_ head: HTTPRequestHead) -> String {
        String(target(head).prefix { $0 != "?" && $0 != "#" })
    }

    /// The target of a request without a scheme and a host (RFC 9112 §3.2.2), which
    /// `AbsoluteTargetHandler` has checked, and without the path of the base URL, which a proxy may
    /// have kept.
    private func target(_ head: HTTPRequestHead) -> String {
        var target = head.uri
        if !target.isAbsolutePath, let mark = target.firstRange(of: "://") {
            target = String(target[mark.upperBound...].drop { !"/?#".contains($0) })
        }
        return authenticator.base?.ownTarget(target) ?? target
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
        guard head.headers.contains(name: "Origin"),
            head.headers.contains(name: "Access-Control-Request-Method")
        else { return response }
        response.fields = [
            ("Access-Control-Allow-Methods", "POST, GET, OPTIONS"),
            ("Access-Control-Max-Age", "1728000"),
        ]
        // As in aria2, a page may send all fields that it asks for.
        if let fields = head.headers.first(name: "Access-Control-Request-Headers") {
            response.fields.append(("Access-Control-Allow-Headers", fields))
        }
        // Browsers ask before a page of a public server may send requests to this machine.
        if head.headers.contains(name: "Access-Control-Request-Private-Network") {
            response.fields.append(("Access-Control-Allow-Private-Network", "true"))
        }
        return response
    }
}
