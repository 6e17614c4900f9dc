internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Pawl
internal import PawlCore
internal import PawlWire
internal import Synchronization

/// What stands in front of every route where TCP is listened to.
final class RequestGate: Sendable {
    let keys: AccessKeys
    private let rules: RequestGuard
    private let codes = Mutex(LoginCodes())
    private let delay = Mutex(FailureDelay())

    init(_ address: ListenAddress, keys: AccessKeys) {
        rules = RequestGuard(address, mostBodyBytes: DaemonAPI.mostBytes)
        self.keys = keys
    }

    /// What becomes of a request.
    enum Admission {
        /// It may be looked at, by that right; `mayGoOn` says whether it still might.
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

    /// After a while, so that nobody tries many.
    func wrongCredentials(isCode: Bool = false) async throws -> Response {
        guard let pause = delay.withLock({ $0.failed(at: .now) }) else {
            return try Self.response(
                429,
                .serverBusy,
                "too many requests with a wrong token wait for their answer",
                "send the right one: pawl daemon token"
            )
        }
        // Cancelled is the end of the daemon.
        try? await Task.sleep(for: pause)
        delay.withLock { $0.ended() }
        return try Self.response(
            401,
            .unauthorized,
            isCode ? "the code was used, or is too old" : "the token is not the daemon's",
            isCode
                ? "open a new link: pawl daemon token --url" : "send what pawl daemon token shows"
        )
    }

    /// Answers on a connection beyond the share of its token or page, and closes it.
    static func tooManyConnections() throws -> Response {
        var response = try response(
            429,
            .serverBusy,
            "too many connections with this token",
            "close some of them: pawl serves a quarter of all connections to each token"
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

    // MARK: - What is asked

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
