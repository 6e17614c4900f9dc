internal import HTTPTypes
internal import Hummingbird
internal import PawlCore
internal import PawlWire

/// How a browser gets its cookie.
extension DaemonAPI {
    func addLogin(to router: Router<APIContext>) {
        router.post("/v1/login") { request, _ in try await login(request) }
        router.post("/v1/login-codes") { _, context in try loginCode(context) }
    }

    /// For a code that the user has got over the Unix socket, once; or for the token.
    private func login(_ request: Request) async throws -> Response {
        let login: Login = try await body(request, "Login")
        guard let gate else { throw Self.noListener }
        guard (login.code == nil) != (login.token == nil) else {
            throw DownloadError(.usage, "the body: give 'code' or 'token'")
        }
        let isRight =
            login.code.map { gate.takeCode($0) } ?? login.token.map { gate.keys.isToken($0) }
        guard isRight == true else {
            return try await gate.wrongCredentials(isCode: login.code != nil)
        }
        let attributes = "Path=/; HttpOnly; SameSite=Strict"
        return Response(
            status: .noContent,
            headers: [.setCookie: "\(AccessKeys.cookie)=\(gate.keys.cookieValue); \(attributes)"]
        )
    }

    /// Only for who is the user for certain.
    private func loginCode(_ context: APIContext) throws -> Response {
        guard context.listener == .socket else {
            throw DownloadError.onlyOverSocket("a login code")
        }
        guard let gate, let url = about.url else { throw Self.noListener }
        let code = gate.makeCode()
        return try Response.json(
            LoginCode(code: code, url: "\(url)/#code=\(code)"),
            status: .created
        )
    }

    private static let noListener = Conflict.error(
        "the daemon does not listen for TCP",
        advice: "start it with --listen: pawl daemon start --listen 127.0.0.1"
    )
}

extension DownloadError {
    /// What the user may, and a program with the token may not.
    static func onlyOverSocket(_ what: String) -> DownloadError {
        DownloadError(
            .notAllowed,
            "\(what) is not to be had over TCP",
            advice: "use the Unix socket: pawl, or curl --unix-socket"
        )
    }
}
