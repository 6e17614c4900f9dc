internal import HTTPTypes
internal import Hummingbird
internal import PawlCore
internal import PawlWire

/// Answers requests for the login of a browser.
struct LoginHandlers: Sendable {
    let queue: DaemonQueue

    private var listener: NetworkListener { queue.listener }

    /// Exchanges a code, which the user received over the Unix socket and which is valid once, or
    /// the token for a cookie.
    func login(_ request: Request, _ context: APIContext) async throws -> Response {
        let login: Login = try await RequestBody.read(
            request,
            upTo: RequestGuard.mostOpenBodyBytes
        )
        guard let authenticator = listener.socket?.authenticator else {
            throw Self.noListener
        }
        guard (login.code == nil) != (login.token == nil) else {
            throw DownloadError.usage("the body must contain 'code' or 'token'")
        }
        // A code gives the rights of the page; a token gives its own rights.
        let cookie =
            if let code = login.code {
                try await redeem(code, authenticator) ? authenticator.keys.pageCookie : nil
            } else {
                login.token.flatMap { authenticator.keys.cookie(forToken: $0) }
            }
        guard let cookie else {
            return try await authenticator.wrongCredentials(
                from: context.client.address,
                isCode: login.code != nil
            )
        }
        // Behind a proxy, the other paths of its host belong to others.
        let base = context.client.base
        let isSecure = base?.isSecure == true || context.client.isSecure
        let attributes =
            "Path=\(base?.path ?? "/"); HttpOnly; SameSite=Strict\(isSecure ? "; Secure" : "")"
        return Response(
            status: .noContent,
            headers: [.setCookie: "\(AccessKeys.cookie)=\(cookie); \(attributes)"]
        )
    }

    func makeCode() async throws -> Response {
        guard let socket = listener.socket else { throw Self.noListener }
        let code =
            if let shared = listener.shared {
                try await queue.waiting { () throws(DownloadError) in try shared.makeCode() }
            } else {
                socket.authenticator.makeCode()
            }
        let page = listener.proxies.value.base?.text ?? "\(listener.url ?? "")/"
        return try Response.json(
            LoginCode(code: code, url: "\(page)#code=\(code)"),
            status: .created
        )
    }

    /// Redeems a code, which another daemon may have made; returns whether it was valid.
    private func redeem(
        _ code: String,
        _ authenticator: RequestAuthenticator
    ) async throws -> Bool {
        guard let shared = listener.shared else { return authenticator.redeemCode(code) }
        return try await queue.waiting { () throws(DownloadError) in
            try shared.redeemCode(code)
        }
    }

    private static let noListener = Conflict.error(
        "the daemon does not listen for TCP",
        advice: "to enable it: pawl daemon start --listen 127.0.0.1"
    )
}
