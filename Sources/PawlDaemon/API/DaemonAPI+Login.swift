internal import HTTPTypes
internal import Hummingbird
internal import PawlCore
internal import PawlWire

/// How a browser gets its cookie.
extension DaemonAPI {
    func addLogin(to router: Router<APIContext>) {
        router.post("/v1/login") { request, _ in try await login(request) }
        router.post("/v1/login-codes") { _, _ in try loginCode() }
    }

    /// For a code that the user has got over the Unix socket, once; or for the token.
    private func login(_ request: Request) async throws -> Response {
        let login: Login = try await body(
            request,
            "Login",
            upTo: RequestGuard.mostOpenBodyBytes
        )
        guard let authenticator = queue.listener.socket?.authenticator else {
            throw Self.noListener
        }
        guard (login.code == nil) != (login.token == nil) else {
            throw DownloadError(.usage, "the body: give 'code' or 'token'")
        }
        // A code comes from the user at the socket; a token is worth the same in a cookie.
        let cookie =
            login.code.flatMap { authenticator.takeCode($0) ? authenticator.keys.pageCookie : nil }
            ?? login.token.flatMap { authenticator.keys.cookie(forToken: $0) }
        guard let cookie else {
            return try await authenticator.wrongCredentials(isCode: login.code != nil)
        }
        let attributes = "Path=/; HttpOnly; SameSite=Strict"
        return Response(
            status: .noContent,
            headers: [.setCookie: "\(AccessKeys.cookie)=\(cookie); \(attributes)"]
        )
    }

    private func loginCode() throws -> Response {
        guard let socket = queue.listener.socket else { throw Self.noListener }
        let (code, url) = (socket.authenticator.makeCode(), socket.address.url)
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
