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
    private let rules: RequestGuard
    private let codes = Mutex(LoginCodes())
    private let delay = Mutex(FailureDelay())

    init(_ address: ListenAddress, keys: AccessKeys) {
        rules = RequestGuard(address, mostBodyBytes: RequestBody.mostBytes)
        self.keys = keys
    }

    /// The decision on a request.
    enum Admission {
        /// The request has this authority; `mayContinue` returns whether it still has.
        case admitted(Authority, mayContinue: @Sendable () -> Bool)
        case refused(Response)
    }

    func admit(_ request: HTTPRequest) async throws -> Admission {
        let fields = request.headerFields
        let (credentials, usedKey) = keys.judge(
            authorization: fields[values: .authorization],
            cookies: fields[values: .cookie]
        )
        switch rules.judge(facts(request, credentials)) {
        case .allowed(let authority):
            return .admitted(authority) { [keys] in usedKey.map(keys.isStillValid) ?? true }
        case .refused(let status, let text):
            return .refused(try Self.response(status, text.code, text.message, text.advice))
        case .wrongCredentials: return .refused(try await wrongCredentials())
        }
    }

    /// Responds after a delay, so that nobody can try many tokens.
    func wrongCredentials(isCode: Bool = false) async throws -> Response {
        guard await delayFailure() else {
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
    func delayFailure() async -> Bool {
        guard let pause = delay.withLock({ $0.failed(at: .now) }) else { return false }
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

    func takeCode(_ code: String) -> Bool { codes.withLock { $0.take(code, at: .now) } }

    // MARK: - The request

    private func facts(
        _ request: HTTPRequest,
        _ credentials: RequestGuard.Credentials
    ) -> RequestGuard.Facts {
        let path = (request.path ?? "").prefix { $0 != "?" && $0 != "#" }
        var facts = RequestGuard.Facts(request.method.rawValue, String(path), hosts: [])
        let fields = request.headerFields
        facts.hosts = request.authority.map { [$0] } ?? []
        facts.hosts += Self.host.map { fields[values: $0] } ?? []
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
