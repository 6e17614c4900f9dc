package import PawlCore
package import PawlWire

/// Decides whether a request over TCP is processed, and with which authority (pure;
/// docs/security.md).
///
/// It is called before any route, whatever the method and the path.
package struct RequestGuard: Sendable {
    /// The parts of a request that the decision depends on.
    package struct Facts: Sendable {
        package var method: String
        /// The path without the query.
        package var path: String
        package var hosts: [String]
        /// The host that the client has named to a trusted proxy.
        package var forwardedHost: String?
        package var origins: [String] = []
        /// The values of `Sec-Fetch-Site`, `Sec-Fetch-Mode` and `Sec-Fetch-Dest`, which browsers send.
        package var sites: [String] = []
        package var modes: [String] = []
        package var destinations: [String] = []
        package var contentType: String?
        /// The length of the body as the head states it; `nil` if it is unknown.
        package var bodyBytes: Int64? = 0
        package var credentials = CredentialState.none

        package init(_ method: String, _ path: String, hosts: [String]) {
            (self.method, self.path, self.hosts) = (method, path, hosts)
        }

        /// The host of a target in absolute form.
        fileprivate var namedHost: String? {
            guard !path.isAbsolutePath, let mark = path.firstRange(of: "://") else { return nil }
            return String(
                Substring(path[mark.upperBound...].utf8.prefix { $0 != UInt8(ascii: "/") })
            )
        }
    }

    /// The result of checking the token or the cookie of a request.
    package enum CredentialState: Sendable, Hashable {
        case none, wrong
        case right(Authority)
    }

    package enum Verdict: Sendable, Hashable {
        case allowed(Authority)
        case refused(status: Int, DownloadErrorText)
        /// The page is at another URL.
        case moved(to: String)
        /// The token is wrong: the response has to be delayed.
        case wrongCredentials
    }

    /// The text of a refusal.
    package struct DownloadErrorText: Sendable, Hashable {
        package let code: ErrorCode
        package let message: String
        package let advice: Advice
    }

    /// The hosts of the daemon.
    ///
    /// `localhost` is not among them: it stands for two addresses, and another user may listen at the
    /// other address.
    private let own: OwnHosts
    private let port: UInt16
    private let base: BaseURL?
    private let mostBodyBytes: Int64
    /// The maximum length of the body of a request without a valid token.
    package static let mostOpenBodyBytes = 1 << 10

    /// `isNamed`: over TLS, whether the daemon's certificate is for a name or an address; `nil`
    /// without TLS.
    package init(
        _ address: ListenAddress,
        base: BaseURL? = nil,
        isNamed: (@Sendable (String) -> Bool)? = nil,
        mostBodyBytes: Int = 1 << 20
    ) {
        own = OwnHosts(
            [address.hostText],
            port: address.port,
            schemes: [isNamed == nil ? "http" : "https"],
            base: base,
            isNamed: isNamed
        )
        (self.base, port) = (base, address.port)
        self.mostBodyBytes = Int64(mostBodyBytes)
    }

    package func judge(_ request: Facts) -> Verdict {
        refusalOfSender(request) ?? redirection(request) ?? refusalOfBody(request)
            ?? judgeCredentials(request)
    }

    // MARK: - The sender

    /// Refuses requests from pages of other servers in the user's browser.
    private func refusalOfSender(_ request: Facts) -> Verdict? {
        guard request.hosts.count == 1, own.contains(request.hosts[0]) else {
            // A foreign name may resolve to this address (DNS rebinding).
            return refusal(
                421,
                "the Host field of the request does not name this daemon",
                hostAdvice
            )
        }
        // If the target names a host, it replaces `Host` (RFC 9112 §3.2.2).
        if let named = request.namedHost, !own.contains(named) {
            return refusal(421, "the request target names another host", "request a path only")
        }
        // It does not replace `Host`, which a browser sets: a page under a foreign name could send it.
        if let forwarded = request.forwardedHost, !own.contains(forwarded) {
            return refusal(
                421,
                "the proxy reports a host that does not name this daemon",
                "set the proxy's URL: pawl daemon start --base-url"
            )
        }
        guard request.origins.allSatisfy({ own.contains(origin: $0, of: request.hosts) }) else {
            return refusal(403, "the request comes from a page of another origin", Self.whoMay)
        }
        // Another port of this machine counts as the same site, but is not the same origin.
        let isOwnSite = request.sites.allSatisfy { $0 == "same-origin" || $0 == "none" }
        guard isOwnSite || Self.opensPage(request) else {
            return refusal(403, "the request comes from a page of another site", Self.whoMay)
        }
        return nil
    }

    private var hostAdvice: Advice {
        guard own.isSecure else { return "use \(own.text)" }
        return """
            use a name of the certificate or an address of this machine, with the port \
            \(Int(port)); \
            for another name: pawl daemon start --base-url
            """
    }

    private static let whoMay: Advice =
        "use the daemon's own page, or a program that sends no Origin"

    /// Leads a browser to the path with the slash, from which the page's relative URLs start.
    private func redirection(_ request: Facts) -> Verdict? {
        guard let base, ["GET", "HEAD"].contains(request.method), base.lacksSlash(request.path)
        else { return nil }
        return .moved(to: base.text)
    }

    /// Whether a link or a bookmark opens the page in a window of its own.
    ///
    /// The other site cannot read the page, which contains no data of the user. The page adds
    /// nothing by itself, and its `Cross-Origin-Opener-Policy` takes the window away from the other
    /// site.
    private static func opensPage(_ request: Facts) -> Bool {
        request.method == "GET" && request.path == "/" && request.origins.isEmpty
            && (request.sites == ["cross-site"] || request.sites == ["same-site"])
            && request.modes == ["navigate"] && request.destinations == ["document"]
    }

    // MARK: - The body

    private func refusalOfBody(_ request: Facts) -> Verdict? {
        guard request.bodyBytes != 0 else { return nil }
        // A method that the path does not support gets another response later.
        let methods = APIRoute.methods(of: request.path)
        guard methods.isEmpty || methods.contains(request.method) else { return nil }
        guard ["POST", "PATCH", "DELETE"].contains(request.method) else {
            let method = request.method.sanitized(atMost: 20)
            return refusal(400, "a \(method) request must not have a body", "leave it out", .usage)
        }
        var most = mostBodyBytes
        if case .right = request.credentials {
        } else {
            most = min(most, Int64(Self.mostOpenBodyBytes))
        }
        if let bytes = request.bodyBytes, bytes > most {
            return refusal(
                413,
                "the body has more than \(most) bytes",
                "send several requests, or use the Unix socket",
                .tooLarge
            )
        }
        let form = BodyForm(ofBodyAt: request.path)
        guard form.isDeclared(by: request.contentType) else {
            let error = form.undeclared
            return refusal(415, error.message, error.guidance, error.code)
        }
        return nil
    }

    // MARK: - The credentials

    private func judgeCredentials(_ request: Facts) -> Verdict {
        switch request.credentials {
        case .right(let authority): return .allowed(authority)
        case .wrong where !Self.isOpen(request): return .wrongCredentials
        case .none where !Self.isOpen(request):
            return refusal(
                401,
                "the request has no token",
                "send Authorization: Bearer with the token that pawl daemon token prints",
                .unauthorized
            )
        case .none, .wrong: return .allowed(.nobody)
        }
    }

    /// Whether the request needs no token: the page's files, which hold no data of the user, the
    /// question whether the daemon can be used, and the exchange of a login code, which is checked
    /// by its route.
    private static func isOpen(_ request: Facts) -> Bool {
        switch request.method {
        case "GET", "HEAD":
            request.path == "/" || request.path == "/readyz"
                || request.path.utf8.starts(with: "/assets/".utf8)
        case "POST": request.path == "/v1/login"
        default: false
        }
    }

    private func refusal(
        _ status: Int,
        _ message: String,
        _ advice: Advice,
        _ code: ErrorCode = .notAllowed
    ) -> Verdict {
        .refused(
            status: status,
            DownloadErrorText(code: code, message: message, advice: advice)
        )
    }
}
