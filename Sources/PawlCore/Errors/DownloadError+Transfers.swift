/// The way in which an exchange with a server failed, as the network library reported it.
public struct NetworkFailure: Error, Hashable, Sendable {
    /// A stable name of the failure, such as `connectionLost` or `nameNotResolved`.
    public let kind: String
    /// The message of the network library, without control characters.
    public let message: String
    /// The fingerprint of an unknown host key, or the path of an encrypted key for SSH; `nil` for
    /// other failures.
    package let subject: String?
}

extension DownloadError {
    /// The advice for an incomplete download.
    package static let resumeAdvice: Advice = "\(.resume)"
    /// The advice if the next run cannot resume.
    package static let startOverAdvice: Advice =
        "the next run starts from the beginning, because nothing proves that the server's file is "
        + "unchanged"

    private static let proxyLogin: Advice =
        "add the name and password to the proxy's URL: \(.proxy), or the environment; for Kerberos, \(set: .proxyAuthentication, to: "negotiate")"

    /// The error with the advice for a download that the next run cannot resume.
    package var withoutResumeAdvice: DownloadError {
        var error = self
        error.guidance = guidance.replacing(.resume, with: Self.startOverAdvice)
        return error
    }

    /// The error with the advice for a download of which nothing is kept.
    package var withNothingToResume: DownloadError {
        var error = self
        error.guidance = guidance.replacing(.resume, with: "\(.runAgain)")
        return error
    }

    /// The error with the advice for a request whose response cannot be resumed.
    package var ofUnresumableRequest: DownloadError {
        var error = self
        error.guidance = guidance.replacing(.resume, with: "send the request again")
        return error
    }

    /// Creates the error for a request that may have had an effect, and is not sent again.
    init(sentOnceTo host: String) {
        self.init(
            .network,
            "\(host) may have carried out the request, so it is not sent again",
            advice: "check what the request has changed, then \(.runAgain)",
            retryClass: .never
        )
    }

    /// Creates the error for a broken exchange, with the advice for a download.
    package init(_ failure: TransferFailure, host: String) {
        let again = Self.resumeAdvice
        let host = failure.isOfProxy ? "the proxy" : host
        let (code, what, advice): (ErrorCode, String, Advice) =
            switch failure.kind {
            case .nameNotResolved:
                (
                    .nameNotResolved, "cannot resolve the host name \(Self.hostName(of: host))",
                    "check the spelling"
                )
            case .proxyNotResolved:
                (
                    .nameNotResolved, "cannot resolve the host name of the proxy",
                    "check \(.proxy), or the proxy in the environment"
                )
            case .cannotConnect: (.network, "cannot connect to \(host)", again)
            case .proxyRefused: (.network, "the proxy did not connect to \(host)", again)
            case .proxyUnauthorized:
                (.unauthorized, "the proxy did not accept the name and password", Self.proxyLogin)
            case .interfaceFailed:
                (
                    .network, "cannot connect from the given network interface",
                    "check \(.interface)"
                )
            case .connectTimedOut:
                (
                    .timedOut, "\(host) did not respond in time",
                    "\(again), or raise \(.connectTimeout)"
                )
            case .addressRefused:
                (
                    .notAllowed, "\(host) is a private address, which is not allowed",
                    "to allow such addresses: pawl daemon allow --private-addresses yes"
                )
            case .certificateRefused, .keyRefused, .certificateRequired, .tlsFailed,
                .hostKeyUnknown, .hostKeyChanged, .credentialsUnusable, .clientKeyUnusable,
                .passwordFileUnusable, .authoritiesUnusable, .proxyUnusable:
                Self.trustFailure(failure, host: host)
            case .connectionLost: (.network, "the connection to \(host) broke", again)
            case .bodyIncomplete: (.network, "\(host) ended the response too early", again)
            case .fileNotSent, .expandsTooMuch, .undecodable, .malformedResponse, .bodyUnreadable,
                .bodyNotRepeatable:
                Self.contentFailure(failure.kind, host: host)
            case .unsupportedURL:
                (.usage, "the URL is not supported", "use a URL with \(URLScheme.names)")
            case .notBuiltIn:
                (
                    .usage, "the system's libcurl cannot do what a setting requires",
                    "leave out the setting, or install another version of libcurl"
                )
            case .notScripted:
                (
                    .usage, "the scripted server has no usable response for the request",
                    "script one with respond(to:with:)"
                )
            case .local: (.unknown, "the transfer could not be started", "")
            }
        let detail = failure.message.isEmpty ? "" : " (\(failure.message))"
        self.init(code, what + detail, advice: advice)
        cause = NetworkFailure(
            kind: failure.kind.rawValue,
            message: failure.message,
            subject: failure.subject
        )
    }

    /// The code, the text and the advice if the response or the body of the request cannot be used.
    private static func contentFailure(
        _ kind: TransferFailure.Kind,
        host: String
    ) -> (ErrorCode, String, Advice) {
        switch kind {
        case .fileNotSent:
            (
                .network, "\(host) sends no data for the file",
                "check that the URL names a file; the URL of a folder ends with a slash, and can "
                    + "only be mirrored"
            )
        case .expandsTooMuch:
            (
                .tooLarge, "the response of \(host) becomes too large when it is decoded",
                "request it without content codings (decodesContent)"
            )
        case .undecodable:
            (
                .badResponse, "the encoded response of \(host) cannot be decoded",
                "request it without content codings (decodesContent)"
            )
        case .bodyUnreadable:
            (.unknown, "the body of the request to \(host) cannot be read", "check its source")
        case .bodyNotRepeatable:
            (
                .network, "the body of the request to \(host) cannot be sent a second time",
                "send the request again with a new body"
            )
        default: (.badResponse, "\(host) sent an invalid response", "try again later")
        }
    }

    /// The code, the text and the advice if the server or the client cannot identify itself, or
    /// the settings for that or for the proxy cannot be used.
    private static func trustFailure(
        _ failure: TransferFailure,
        host: String
    ) -> (ErrorCode, String, Advice) {
        switch failure.kind {
        case .certificateRefused:
            (
                .tlsFailed, "the certificate of \(host) is not trusted",
                certificateRemedy(failure.message)
                    + ", or accept any certificate with \(.allowsUntrustedCertificates)"
            )
        case .authoritiesUnusable:
            (
                .usage, "the file of certificate authorities cannot be used",
                "give a PEM file of certificates with \(.authoritiesFile)"
            )
        case .keyRefused:
            (
                .tlsFailed, "\(host) has a public key that is not pinned",
                "if the server has changed its key, give the new one with \(.pinnedPublicKeys)"
            )
        case .certificateRequired:
            (
                .unauthorized, "\(host) requires a client certificate",
                "give it with \(.clientCertificateFile)"
            )
        case .hostKeyUnknown:
            (
                .tlsFailed, "the host key of \(host) is not known",
                "if its fingerprint is the right one, accept it with \(.hostKey)"
            )
        case .hostKeyChanged:
            (
                .tlsFailed, "the host key of \(host) has changed",
                "if the server has a new key, remove the old one with ssh-keygen -R"
            )
        case .credentialsUnusable:
            (
                .unauthorized, "the credentials for \(host) cannot be used",
                "give others with \(.credentials) or \(.s3Profile), or set \(.s3Anonymous)"
            )
        case .clientKeyUnusable:
            (
                .usage, "the client certificate or the private key cannot be used",
                "check the file; if the key is encrypted, give its password with "
                    + "\(.clientKeyPassword)"
            )
        case .proxyUnusable:
            (
                .usage, "the proxy in the environment cannot be used",
                "correct the variable: \(ProxyPolicy.form); or give \(.proxy)"
            )
        case .passwordFileUnusable:
            (
                .usage, "the file of names and passwords is not in the format of .netrc",
                "correct the file, or name another one or none with \(.netrcFile)"
            )
        default: (.tlsFailed, "the TLS connection to \(host) failed", "try again later")
        }
    }

    /// What can be done about a certificate that was refused with this message of OpenSSL or libcurl.
    private static func certificateRemedy(_ message: String) -> Advice {
        if message.contains("has expired") || message.contains("not yet valid") {
            return "check the clock of this machine, ask the operator for a new certificate"
        }
        if message.contains("subject name") {
            return "check the host name in the URL"
        }
        return "give its certificate authority with \(.authoritiesFile)"
    }

    /// Creates the error for a response with status 200 that is not the file.
    init(_ doubt: Doubt, host: String, expectedBytes: Int64?) {
        let what: String
        switch doubt {
        case .webPage:
            self.init(
                .captivePortal,
                "the server sent a web page instead of the file",
                advice: "if the network requires a login, log in; then \(.runAgain)"
            )
            return
        case .missing(let validator):
            what = "a response without the file's \(validator), most likely an error page"
        case .encoded(let coding):
            what =
                "the file encoded as \(coding.sanitized(atMost: 40)), although that was not "
                + "requested and the bytes received so far are not encoded"
        case .otherWeakTag:
            what = "a response with another weak ETag, which does not prove that the file changed"
        case .otherLength(let total):
            let seen = total.map { "\($0) bytes" } ?? "a response without a length"
            what =
                "\(seen) instead of the file's \(expectedBytes ?? 0) bytes, without any sign that "
                + "the file has changed"
        }
        self.init(
            .notTheFile,
            "\(host) sent \(what)",
            advice: "try again later; if the file was replaced, remove the partial file first"
        )
    }

    /// Returns the name in `name:port`.
    private static func hostName(of host: String) -> String {
        guard !HostBudget.isBucket(host) else { return "of the server of \(host)" }
        let pieces = host.pieces(at: ":")
        return pieces.count == 2 ? String(pieces[0]) : host
    }

    /// Creates the error for a transfer that received no byte for `time`.
    package init(stalledFor time: Duration, host: String, advice: Advice) {
        self.init(.timedOut, "received nothing from \(host) for \(time)", advice: advice)
    }

    /// Creates the error for a status other than 2xx and 3xx, with its advice (RFC 9110 §15).
    package init(status: Int, reason: String, retryAfter: Duration? = nil, host: String) {
        // The reason of an FTP server begins with its own code.
        let isOwnCode = reason.utf8.prefix(3).count(where: { $0.isDigit }) == 3
        let what = isOwnCode ? reason : "\(status)\(reason.isEmpty ? "" : " \(reason)")"
        let said = "\(host) answered \(what)"
        switch status {
        case 404, 410:
            self.init(.notFound, said, advice: "check the URL")
        case 401:
            self.init(
                .unauthorized,
                said,
                advice: "give a name and password with \(.credentials), or check them"
            )
        case 403:
            self.init(
                .unauthorized,
                said,
                advice: "ask for access, or get a new link if this one has expired"
            )
        case 407:
            self.init(
                .unauthorized,
                "the proxy answered \(what)",
                advice: Self.proxyLogin
            )
        case 408, 425, 429, 500, 502, 503, 504, 507...509, 520...530:
            self.init(.serverBusy, said, advice: "try again later", retryClass: .later)
        case 511:
            // Network Authentication Required (RFC 6585 §6).
            self.init(.captivePortal, said, advice: "log in to the network", retryClass: .later)
        default:
            self.init(.badResponse, said, advice: "check the URL and what is sent with the request")
        }
        httpStatus = status
        self.retryAfter = retryAfter
    }
}
