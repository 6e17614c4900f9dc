package import PawlCore
package import PawlWire

/// Decides whether a request over TCP may be handled (docs/security.md).
///
/// It is called before any route, whatever the method and the path.
package struct RequestGuard: Sendable {
    /// The relevant parts of a request.
    package struct Asked: Sendable {
        package var method: String
        /// The path without the query.
        package var path: String
        package var hosts: [String]
        package var origins: [String] = []
        package var sites: [String] = []
        package var contentType: String?
        /// The length of the body according to the head; `nil` if it is not known, and there may be
        /// a body.
        package var bodyBytes: Int64? = 0
        package var credentials = Credentials.none

        package init(_ method: String, _ path: String, hosts: [String]) {
            (self.method, self.path, self.hosts) = (method, path, hosts)
        }

        /// The host of a target in absolute form.
        fileprivate var namedHost: String? {
            guard !path.hasPrefix("/"), let mark = path.firstRange(of: "://") else { return nil }
            return String(path[mark.upperBound...].prefix { $0 != "/" })
        }
    }

    /// The result of checking the token or the cookie of a request.
    package enum Credentials: Sendable, Hashable {
        case none, wrong
        case right(Authority)
    }

    package enum Verdict: Sendable, Hashable {
        case allowed(Authority)
        case refused(status: Int, DownloadErrorText)
        /// The secret is wrong, so the answer must be delayed.
        case wrongCredentials
    }

    /// The text of a refusal.
    package struct DownloadErrorText: Sendable, Hashable {
        package let code: ErrorCode
        package let message: String
        package let advice: String
    }

    /// The allowed hosts of our own URLs, with the port.
    ///
    /// `localhost` is not one of them: it resolves to both addresses, and another user may listen
    /// at the other one.
    private let hosts: Set<String>
    private let mostBodyBytes: Int64
    /// The maximum length of a body from an unknown client.
    package static let mostOpenBodyBytes = 1 << 10

    package init(_ address: ListenAddress, mostBodyBytes: Int = 1 << 20) {
        hosts = Set([address.text] + (address.port == 80 ? [address.hostText] : []))
        self.mostBodyBytes = Int64(mostBodyBytes)
    }

    package func judge(_ asked: Asked) -> Verdict {
        refusalOfSender(asked) ?? refusalOfBody(asked) ?? judgeCredentials(asked)
    }

    // MARK: - The sender

    /// Refuses a sender.
    ///
    /// A foreign page in the user's browser is a sender, too.
    private func refusalOfSender(_ asked: Asked) -> Verdict? {
        guard asked.hosts.count == 1, hosts.contains(asked.hosts[0].lowercased()) else {
            // A name of somebody else may resolve to this address (DNS rebinding).
            return refusal(
                421,
                "the request names another host than this daemon",
                "use \(hosts.sorted().joined(separator: ", "))"
            )
        }
        // If the target names a host, that one counts (RFC 9112 §3.2.2).
        if let named = asked.namedHost, !hosts.contains(named.lowercased()) {
            return refusal(421, "the request's target names another host", "send only a path")
        }
        let isOurs = asked.origins.allSatisfy { origin in
            let origin = origin.lowercased()
            return origin.hasPrefix("http://") && hosts.contains(String(origin.dropFirst(7)))
        }
        guard isOurs else {
            return refusal(403, "the request comes from a page of another origin", Self.whoMay)
        }
        // Another port of this machine counts as the same site.
        guard asked.sites.allSatisfy({ $0 == "same-origin" || $0 == "none" }) else {
            return refusal(403, "the request comes from a page of another site", Self.whoMay)
        }
        return nil
    }

    private static let whoMay = "use the daemon's own page, or a program that sends no Origin"

    // MARK: - The body

    private func refusalOfBody(_ asked: Asked) -> Verdict? {
        guard asked.bodyBytes != 0 else { return nil }
        // A method that a path does not have gets another answer.
        let methods = APIDocument.methods(of: asked.path)
        guard methods.isEmpty || methods.contains(asked.method) else { return nil }
        guard ["POST", "PATCH", "DELETE"].contains(asked.method) else {
            let method = asked.method.sanitized(atMost: 20)
            return refusal(400, "a \(method) has no body", "leave it out", .usage)
        }
        var most = mostBodyBytes
        if case .right = asked.credentials {
        } else {
            most = min(most, Int64(Self.mostOpenBodyBytes))
        }
        if let bytes = asked.bodyBytes, bytes > most {
            return refusal(
                413,
                "the body has more than \(most) bytes",
                "send several requests, or use the Unix socket",
                .tooLarge
            )
        }
        guard Self.isJSON(asked.contentType) else {
            return refusal(
                415,
                "the body is not declared as application/json",
                Self.whatIsJSON,
                .usage
            )
        }
        return nil
    }

    /// Whether the type is JSON, ignoring parameters (RFC 9110 §8.3).
    static func isJSON(_ contentType: String?) -> Bool {
        contentType?.split(separator: ";").first?.trimmed.lowercased() == "application/json"
    }

    static let whatIsJSON = "send it with Content-Type: application/json"

    // MARK: - The credentials

    private func judgeCredentials(_ asked: Asked) -> Verdict {
        switch asked.credentials {
        case .right(let authority): return .allowed(authority)
        case .wrong where !Self.isOpen(asked): return .wrongCredentials
        case .none where !Self.isOpen(asked):
            return refusal(
                401,
                "the request has no token",
                "send Authorization: Bearer, with the token that pawl daemon token prints",
                .unauthorized
            )
        case .none, .wrong: return .allowed(.nobody)
        }
    }

    /// Whether the request needs no credentials: a browser must get the page's own files, which
    /// contain nothing of the user's, and exchange a login code, which is checked by itself.
    private static func isOpen(_ asked: Asked) -> Bool {
        switch asked.method {
        case "GET", "HEAD": asked.path == "/" || asked.path.hasPrefix("/assets/")
        case "POST": asked.path == "/v1/login"
        default: false
        }
    }

    private func refusal(
        _ status: Int,
        _ message: String,
        _ advice: String,
        _ code: ErrorCode = .notAllowed
    ) -> Verdict {
        .refused(
            status: status,
            DownloadErrorText(code: code, message: message, advice: advice)
        )
    }
}

extension Substring {
    fileprivate var trimmed: Substring {
        var text = self
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return text.drop { $0 == " " || $0 == "\t" }
    }
}
