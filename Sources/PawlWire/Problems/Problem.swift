package import PawlCore

/// What went wrong, as `application/problem+json` (RFC 9457), with the code that it has everywhere.
package struct Problem: Codable, Sendable, Hashable {
    /// `urn:pawl:` and the code.
    package var type: String
    /// What failed.
    package var title: String
    /// The status that the answer had; nil for the problem of a download.
    package var status: Int?
    /// While doing what, and what to do next.
    package var detail: String?
    /// The code as in `docs/errors.md`.
    package var code: ErrorCode
    package var retry: RetryClass
    /// What to do next.
    package var advice: String?

    package static let mediaType = "application/problem+json"

    package init(_ error: DownloadError, status: Int? = nil) {
        type = "urn:pawl:\(error.code.rawValue)"
        title = error.message
        detail = error.context
        code = error.code
        retry = error.retryClass
        advice = error.advice.isEmpty ? nil : error.advice
        self.status = status
    }

    /// The error that it tells of.
    package var error: DownloadError {
        DownloadError(
            code,
            title,
            advice: (advice ?? "").sanitized,
            context: detail,
            retryClass: retry
        )
    }
}
