internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Pawl
internal import PawlCore
internal import PawlWire
internal import Synchronization

/// The gate that every request over TCP must pass before it reaches a route.
final class RequestGate: Sendable {
    let keys: AccessKeys
    private let rules: RequestGuard
    private let codes = Mutex(LoginCodes())
    private let delay = Mutex(FailureDelay())

    init(_ address: ListenAddress, keys: AccessKeys) {
        rules = RequestGuard(address, mostBodyBytes: DaemonAPI.mostBytes)
        self.keys = keys
    }

    /// The result for a request.
    enum Admission {
        /// The request is admitted with this authority; `mayGoOn` returns whether it still would
        /// be.
        case admitted(Authority, mayGoOn: @Sendable () -> Bool)
        case refused(Response)
    }

    func admit(_ request: HTTPRequest) async throws -> Admission {
        let fields = request.headerFields
        let (credentials, pass) = keys.judge(
            authorization: fields[values: .authorization],
            cookies: fields[values: .cookie]
        )
        switch rules.judge(asked(request, credentials)) {
        case .allowed(let authority):
            return .admitted(authority) { [keys] in pass.map(keys.stillLetsIn) ?? true }
        case .refused(let status, let text):
            return .refused(try Self.response(status, text.code, text.message, text.advice))
        case .wrongCredentials: return .refused(try await wrongCredentials())
        }
    }

    /// Answers after a delay, so that nobody can try many secrets.
    func wrongCredentials(isCode: Bool = false) async throws -> Response {
        guard let pause = delay.withLock({ $0.failed(at: .now) }) else {
            return try Self.response(
                429,
                .serverBusy,
                "too many requests with a wrong token are waiting",
                "send the right one: pawl daemon token"
            )
        }
        // The sleep is cancelled when the daemon ends.
        try? await Task.sleep(for: pause)
        delay.withLock { $0.ended() }
        return try Self.response(
            401,
            .unauthorized,
            isCode ? "the code was used already, or has expired" : "the token is not valid",
            isCode
                ? "open a new link: pawl daemon token --url"
                : "send the token that pawl daemon token prints"
        )
    }

    /// Answers on a connection beyond the share of its token or page, and closes it.
    static func tooManyConnections() throws -> Response {
        var response = try response(
            429,
            .serverBusy,
            "too many connections with this token",
            "close some of them: each token can use a quarter of all connections"
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

    private func asked(
        _ request: HTTPRequest,
        _ credentials: RequestGuard.Credentials
    ) -> RequestGuard.Asked {
        let path = (request.path ?? "").prefix { $0 != "?" && $0 != "#" }
        var asked = RequestGuard.Asked(request.method.rawValue, String(path), hosts: [])
        let fields = request.headerFields
        asked.hosts = request.authority.map { [$0] } ?? []
        asked.hosts += Self.host.map { fields[values: $0] } ?? []
        asked.origins = fields[values: .origin]
        asked.sites = Self.site.map { fields[values: $0] } ?? []
        asked.contentType = fields[.contentType]
        asked.bodyBytes = Self.bodyBytes(fields)
        asked.credentials = credentials
        return asked
    }

    private static let host = HTTPField.Name("Host")
    private static let site = HTTPField.Name("Sec-Fetch-Site")

    private static func bodyBytes(_ fields: HTTPFields) -> Int64? {
        guard fields[.transferEncoding] == nil else { return nil }
        guard let text = fields[.contentLength] else { return 0 }
        return Int64(text) ?? .max
    }

    private static func response(
        _ status: Int,
        _ code: ErrorCode,
        _ message: String,
        _ advice: String
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
