package import PawlCore
internal import PawlStorage
package import PawlWire

/// A daemon that is reached over TCP with a token, usually that of another machine.
package struct RemoteDaemon: Sendable {
    /// The URL under which it serves its page and its API.
    package let url: BaseURL
    private let token: String
    private let authoritiesFile: String?
    private let longestExchange: Duration

    /// - Parameters:
    ///   - token: One of the daemon's tokens, which decides what the client may do.
    ///   - authoritiesFile: A PEM file of the certificate authorities to trust in place of the
    ///     system's.
    ///   - longestExchange: The maximum time until the head of a response arrives, and then for each
    ///     MiB of its body, except for a stream of events.
    package init(
        _ url: BaseURL,
        token: String,
        authoritiesFile: String? = nil,
        longestExchange: Duration = .seconds(300)
    ) {
        (self.url, self.token, self.authoritiesFile) = (url, token, authoritiesFile)
        self.longestExchange = longestExchange
    }

    /// The maximum length of a response: its pages are smaller, and another server may answer there.
    private static let mostBytes: Int64 = 32 << 20

    /// Returns the limits of a request.
    ///
    /// `silence`: the additional time for which the daemon may be silent before it responds.
    func limit(
        answersWithin silence: Duration? = nil,
        mostBytes: Int64 = mostBytes
    ) -> ExchangeLimit {
        ExchangeLimit(
            longest: longestExchange + (silence ?? .zero),
            mostBytes: min(mostBytes, Self.mostBytes)
        )
    }

    /// The field that signs in.
    var authorization: HTTPField { HTTPField(name: "Authorization", value: "Bearer \(token)") }

    /// Returns the digest of a text that belongs to this daemon and this token; `nil` if the system
    /// has no digest for it.
    ///
    /// What one token has added belongs to that token.
    func digest(of text: String) -> String? {
        SHA256.digest(of: "\(url.text) \(token) \(text)")?.hexadecimal
    }

    /// Sets how requests are sent to it.
    func apply(to settings: inout ConnectionSettings) {
        settings.authoritiesFile = authoritiesFile
        // Without TLS, a proxy could read the token.
        if !url.isSecure { settings.proxy = .none }
    }

    /// The advice if the daemon's version is too old.
    static let upgrade: Advice =
        "upgrade Pawl on the daemon's machine, and run 'pawl daemon restart' there"

    // MARK: - Errors

    /// Returns the error for a response that is not one of a daemon.
    func foreignResponse(_ status: Int) -> DownloadError {
        let name = url.text
        switch status {
        case 502...504:
            return DownloadError(
                .daemonUnavailable,
                "the proxy at \(name) cannot reach the daemon (status \(status))",
                advice: "run 'pawl daemon status' on the daemon's machine to see whether it listens"
            )
        case 400 where !url.isSecure:
            return DownloadError(
                .badResponse,
                "the server at \(name) does not accept plain HTTP (status 400)",
                advice: "if the daemon has a certificate, use https://"
            )
        default:
            return DownloadError(
                .badResponse,
                "the server at \(name) is not a daemon of Pawl (status \(status))",
                advice:
                    "check the host, the port and the path; 'pawl daemon status' on the daemon's "
                    + "machine prints its URL"
            )
        }
    }

    /// Explains the error with which the daemon has answered.
    func explained(_ error: DownloadError, _ status: Int) -> DownloadError {
        switch (error.code, status) {
        case (.unauthorized, 401):
            DownloadError(
                .unauthorized,
                "the daemon at \(url.text) does not accept the token",
                advice:
                    "the token may be mistyped, replaced or revoked; to get one, run "
                    + "'pawl daemon token' on the daemon's machine"
            )
        case (.tooLarge, 413):
            DownloadError(
                .tooLarge,
                "the request is larger than the daemon accepts over TCP: \(error.message)",
                advice: "add fewer downloads at a time"
            )
        default: error
        }
    }

    /// Whether TLS has failed before the request was sent, for a reason other than the certificate.
    func isHandshakeFailure(_ error: DownloadError) -> Bool {
        (error.cause as? NetworkFailure).flatMap(TransferFailure.Kind.init) == .tlsFailed
    }

    /// Explains why no response was received.
    func explained(_ error: DownloadError) -> DownloadError {
        let failure = error.cause as? NetworkFailure
        let reason = failure.map { $0.message.isEmpty ? "" : " (\($0.message))" } ?? ""
        let name = url.text
        guard error.code != .redirectRefused else {
            return DownloadError(
                .redirectRefused,
                "the server at \(name) redirects, so it is not a daemon of Pawl",
                advice: "check the URL of the daemon"
            )
        }
        switch failure.flatMap(TransferFailure.Kind.init) {
        case .nameNotResolved:
            return DownloadError(
                .nameNotResolved,
                "the host of the daemon at \(name) cannot be found\(reason)",
                advice: "check the URL of the daemon"
            )
        case .certificateRefused:
            return DownloadError(
                .tlsFailed,
                "the certificate of the daemon at \(name) is not trusted\(reason)",
                advice: "\(.trustDaemon); the host in the URL must be a name in the certificate"
            )
        case .tlsFailed:
            return DownloadError(
                .tlsFailed,
                "TLS with the daemon at \(name) failed\(reason)",
                advice:
                    "if the daemon has no certificate, give it one (pawl daemon start --tls-cert), or "
                    + "connect through ssh -L"
            )
        default:
            guard error.code == .network || error.code == .timedOut else { return error }
            let what = error.code == .timedOut ? "does not respond in time" : "cannot be reached"
            return DownloadError(
                .daemonUnavailable,
                "the daemon at \(name) \(what)\(reason)",
                advice:
                    "check the URL, and with 'pawl daemon status' on the daemon's machine that it "
                    + "listens there"
            )
        }
    }

    /// The error for a stream of events that has ended.
    package var endOfStream: DownloadError {
        DownloadError(
            .daemonUnavailable,
            "the connection to the daemon at \(url.text) has ended",
            advice: "run the same command again"
        )
    }
}

extension TransferFailure.Kind {
    /// The kind of a failure; `nil` if it is not known.
    init?(_ failure: NetworkFailure) { self.init(rawValue: failure.kind) }
}
