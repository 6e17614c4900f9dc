internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Pawl
internal import PawlCore
internal import PawlWire
internal import Synchronization

/// Authenticates the requests that come over TCP, before any route.
final class RequestAuthenticator: Sendable {
    let keys: AccessKeys
    private let address: ListenAddress
    private let proxies: CurrentProxyRules
    private let codes = Mutex(LoginCodes())
    private let delay = Mutex(FailureDelay())

    init(_ address: ListenAddress, keys: AccessKeys, _ proxies: CurrentProxyRules) {
        (self.address, self.keys, self.proxies) = (address, keys, proxies)
    }

    /// The URL under which a proxy serves the daemon now.
    var base: BaseURL? { proxies.value.base }

    /// The decision on a request.
    enum Admission {
        /// The request has this authority; `mayContinue` returns whether it still has.
        case admitted(Authority, mayContinue: @Sendable () -> Bool)
        /// The authority is that of the token or cookie, if that is valid.
        case refused(Response, Authority)
    }

    /// Decides on a request, whose target is the daemon's own.
    ///
    /// `tls`: the certificate of the connection; `nil` without TLS.
    func admit(
        _ request: HTTPRequest,
        from client: RequestClient,
        tls: CurrentTLS?
    ) async throws -> Admission {
        let rules = RequestGuard(
            address,
            base: base,
            isNamed: tls?.isFor,
            mostBodyBytes: RequestBody.mostBytes
        )
        let fields = request.headerFields
        let (credentials, usedKey) = keys.judge(
            authorization: fields[values: .authorization],
            cookies: fields[values: .cookie]
        )
        var facts = facts(request, credentials)
        facts.forwardedHost = client.forwardedHost
        let authority = usedKey?.authority ?? .nobody
        switch rules.judge(facts) {
        case .allowed(let authority):
            return .admitted(authority) { [keys] in usedKey.map(keys.isStillValid) ?? true }
        case .refused(let status, let text):
            let response = try Self.response(status, text.code, text.message, text.advice)
            return .refused(response, authority)
        case .moved(let url):
            let response = Response(status: .permanentRedirect, headers: [.location: url])
            return .refused(response, authority)
        case .wrongCredentials:
            return .refused(try await wrongCredentials(from: client.address), authority)
        }
    }

    /// Responds after a delay, so that nobody can try many tokens.
    func wrongCredentials(
        from address: IPAddress?,
        isCode: Bool = false
    ) async throws -> Response {
        guard await delayFailure(by: address) else {
            return try Self.response(
                429,
                .serverBusy,
                "too many requests with an invalid token",
                "send the token that pawl daemon token prints"
            )
        }
        return try Self.response(
            401,
            .unauthorized,
            isCode ? "the code was already used, or has expired" : "the token is invalid",
            isCode
                ? "open a new link: pawl daemon token --url"
                : "send the token that pawl daemon token prints"
        )
    }

    /// Waits before the response to a wrong token; returns `false` if too many responses wait already.
    func delayFailure(by address: IPAddress?) async -> Bool {
        guard let pause = delay.withLock({ $0.failed(by: address, at: .now) }) else { return false }
        // A cancellation means that the daemon shuts down.
        try? await Task.sleep(for: pause)
        delay.withLock { $0.ended() }
        return true
    }

    /// Responds on a connection beyond the share of its token or page, and closes it.
    static func tooManyConnections() throws -> Response {
        var response = try response(
            429,
            .serverBusy,
            "too many connections with this token",
            "close some of them: a token may use up to a quarter of all connections"
        )
        response.headers[.connection] = "close"
        return response
    }

    // MARK: - Logging in

    func makeCode() -> String {
        let code = RandomText.make()
        codes.withLock { $0.add(code, at: .now) }
        return code
    }

    func redeemCode(_ code: String) -> Bool { codes.withLock { $0.redeem(code, at: .now) } }

    // MARK: - The request

    /// Returns the client of a request that this peer has sent.
    ///
    /// `isSecure`: whether the connection uses TLS.
    func client(
        of request: HTTPRequest,
        from peer: IPAddress?,
        isSecure: Bool
    ) -> RequestClient {
        let fields = request.headerFields
        var client = self.client(from: peer, isSecure: isSecure) { name in
            HTTPField.Name(name).map { fields[values: $0] } ?? []
        }
        guard let base else { return client }
        let hosts = Self.hosts(request) + [client.forwardedHost].compactMap(\.self)
        let isByBase =
            base.ownTarget(request.path ?? "") != request.path
            || fields[values: .origin].contains { $0.lowercased() == base.origin }
            || hosts.contains { base.hosts.contains($0.lowercased()) }
        if isByBase { client.base = base }
        return client
    }

    /// Returns the client of a request with these fields.
    ///
    /// `values`: returns the values of a field.
    func client(
        from peer: IPAddress?,
        isSecure: Bool = false,
        _ values: (String) -> [String]
    ) -> RequestClient {
        let rules = proxies.value
        guard rules.trusts(peer) else { return RequestClient(address: peer, isSecure: isSecure) }
        let fields = ForwardedFields(
            forwarded: values("Forwarded"),
            addresses: values("X-Forwarded-For"),
            schemes: values("X-Forwarded-Proto"),
            hosts: values("X-Forwarded-Host")
        )
        return rules.client(of: peer, fields, isSecure: isSecure)
    }

    /// Returns the request with the daemon's own target, if a proxy has kept the path of its URL.
    func ownRequest(_ request: Request) -> Request {
        guard let base, let target = request.head.path else { return request }
        let own = base.ownTarget(target)
        guard own != target else { return request }
        var head = request.head
        head.path = own
        return Request(head: head, body: request.body)
    }

    private static func hosts(_ request: HTTPRequest) -> [String] {
        (request.authority.map { [$0] } ?? [])
            + (host.map { request.headerFields[values: $0] } ?? [])
    }

    private func facts(
        _ request: HTTPRequest,
        _ credentials: RequestGuard.CredentialState
    ) -> RequestGuard.Facts {
        let path = (request.path ?? "").prefix { $0 != "?" && $0 != "#" }
        let hosts = Self.hosts(request)
        var facts = RequestGuard.Facts(request.method.rawValue, String(path), hosts: hosts)
        let fields = request.headerFields
        facts.origins = fields[values: .origin]
        facts.sites = Self.site.map { fields[values: $0] } ?? []
        facts.modes = Self.mode.map { fields[values: $0] } ?? []
        facts.destinations = Self.destination.map { fields[values: $0] } ?? []
        facts.contentType = fields[.contentType]
        facts.bodyBytes = Self.bodyBytes(fields)
        facts.credentials = credentials
        return facts
    }

    private static let host = HTTPField.Name("Host")
    private static let site = HTTPField.Name("Sec-Fetch-Site")
    private static let mode = HTTPField.Name("Sec-Fetch-Mode")
    private static let destination = HTTPField.Name("Sec-Fetch-Dest")

    private static func bodyBytes(_ fields: HTTPFields) -> Int64? {
        guard fields[.transferEncoding] == nil else { return nil }
        guard let text = fields[.contentLength] else { return 0 }
        return Int64(text) ?? .max
    }

    private static func response(
        _ status: Int,
        _ code: ErrorCode,
        _ message: String,
        _ advice: Advice
    ) throws -> Response {
        let error = DownloadError(code, message, advice: advice)
        var response = try Response.json(
            Problem(error, status: status),
            status: HTTPResponse.Status(code: status),
            type: Problem.mediaType
        )
        if status == 401 { response.headers[.wwwAuthenticate] = "Bearer" }
        return response
    }
}
