/// How an exchange with a server broke, as the library below said it.
public struct NetworkFailure: Error, Hashable, Sendable {
    /// A stable word: `connectionLost`, `nameNotResolved`.
    public let kind: String
    /// The library's own words, cleaned of control characters.
    public let message: String
}

extension DownloadError {
    /// The advice for an incomplete download.
    package static let resumeAdvice = "run the same command again to resume"
    /// The advice if the next run cannot resume.
    package static let startOverAdvice =
        "the next run starts from zero: nothing would prove that the server's file is still the same"

    /// The error with the advice for a download that the next run cannot resume.
    package var withoutGoingOn: DownloadError {
        guard advice.hasPrefix(Self.resumeAdvice) else { return self }
        var error = self
        error.advice = Self.startOverAdvice + advice.dropFirst(Self.resumeAdvice.count)
        return error
    }

    /// What a broken exchange is called, and what to do.
    package init(_ failure: TransferFailure, host: String) {
        let again = Self.resumeAdvice
        let (code, what, advice): (ErrorCode, String, String) =
            switch failure.kind {
            case .nameNotResolved:
                (.nameNotResolved, "the name of \(host) has no address", "check the spelling")
            case .cannotConnect: (.network, "no connection to \(host)", again)
            case .connectTimedOut:
                (
                    .timedOut, "\(host) did not respond in time",
                    "\(again), or raise --connect-timeout"
                )
            case .addressRefused:
                (
                    .notAllowed, "\(host) is a private address",
                    "to allow it: pawl daemon allow --private-addresses yes"
                )
            case .certificateRefused:
                (
                    .tlsFailed, "the certificate of \(host) was not accepted",
                    "give its authority with --cacert, or accept any with --insecure"
                )
            case .tlsFailed: (.tlsFailed, "TLS with \(host) failed", "try again later")
            case .connectionLost: (.network, "the connection to \(host) broke", again)
            case .bodyIncomplete: (.network, "\(host) ended the body too early", again)
            case .malformedResponse:
                (.badResponse, "\(host) sent an invalid response", "try again later")
            case .unsupportedURL:
                (.usage, "the URL is not supported", "use an HTTP or HTTPS URL")
            case .local: (.unknown, "the transfer could not be made", "")
            }
        let detail = failure.message.isEmpty ? "" : " (\(failure.message))"
        self.init(code, what + detail, advice: advice)
        cause = NetworkFailure(kind: failure.kind.rawValue, message: failure.message)
    }

    /// The error of an answer with status 200 that is not the file.
    init(_ doubt: WholeDoubt, host: String, expectedBytes: Int64?) {
        let what: String
        switch doubt {
        case .webPage:
            self.init(
                .captivePortal,
                "the server sent a web page instead of the file",
                advice: "log in to the network if it requires that, then run the same command again"
            )
            return
        case .missing(let validator):
            what = "an answer without the \(validator) of the file, most likely an error page"
        case .otherLength(let total):
            let seen = total.map { "\($0) bytes" } ?? "an answer without a length"
            what =
                "\(seen) instead of \(expectedBytes ?? 0), and nothing that proves a new version "
                + "of the file"
        }
        self.init(
            .notTheFile,
            "\(host) sent \(what)",
            advice: "try again later; if the file was replaced, remove the partial file first"
        )
    }

    /// The error of a transfer that received no byte for `time`.
    package init(stalledFor time: Duration, host: String, advice: String) {
        self.init(.timedOut, "no byte from \(host) for \(time)", advice: advice)
    }

    /// What a status other than 2xx and 3xx is called, and what to do (RFC 9110 §15).
    package init(status: Int, reason: String, retryAfter: Duration? = nil, host: String) {
        let said = "\(host) answered \(status)\(reason.isEmpty ? "" : " \(reason)")"
        switch status {
        case 404, 410:
            self.init(.notFound, said, advice: "check the address")
        case 401:
            self.init(.unauthorized, said, advice: "use --user name:password, or check both")
        case 403:
            self.init(
                .unauthorized,
                said,
                advice: "ask for access, or for a new link if this one expired"
            )
        case 407:
            self.init(.unauthorized, said, advice: "give the proxy a name and password")
        case 408, 425, 429, 500, 502, 503, 504, 507...509, 520...530:
            self.init(.serverBusy, said, advice: "try again later", retryClass: .later)
        case 511:
            // Network Authentication Required (RFC 6585 §6).
            self.init(.captivePortal, said, advice: "log in to the network", retryClass: .later)
        default:
            self.init(.badResponse, said, advice: "try another address for the file")
        }
        httpStatus = status
        self.retryAfter = retryAfter
    }
}
