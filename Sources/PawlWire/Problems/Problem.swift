package import PawlCore

/// A failure as `application/problem+json` (RFC 9457), with the error code that is used everywhere.
package struct Problem: Codable, Sendable, Hashable {
    /// `urn:pawl:` followed by the code.
    package var type: String
    /// What failed.
    package var title: String
    /// The status of the response; `nil` for the problem of a download.
    package var status: Int?
    /// What was being done, and what to do next.
    package var detail: String?
    /// The code as in `docs/errors.md`.
    package var code: ErrorCode
    package var retry: RetryClass
    /// What to do next, in the words of the API.
    package var advice: String?
    /// The template of the advice, for clients with words of their own; `nil` if all have the same.
    ///
    /// Problems of earlier versions have none.
    package var adviceTemplate: String?
    /// The HTTP status of the server whose response was the failure of a download.
    package var httpStatus: Int?

    package static let mediaType = "application/problem+json"

    package init(_ error: DownloadError, status: Int? = nil) {
        type = "urn:pawl:\(error.code.rawValue)"
        title = error.message
        detail = error.context
        code = error.code
        retry = error.retryClass
        advice = error.guidance.isEmpty ? nil : error.guidance.text(for: .api)
        adviceTemplate = error.guidance.template
        httpStatus = error.httpStatus
        self.status = status
    }

    /// The error that the problem describes.
    package var error: DownloadError {
        var error = DownloadError(
            code,
            title,
            advice: guidance,
            context: detail,
            retryClass: retry
        )
        error.httpStatus = httpStatus
        return error
    }

    /// The advice for all readers; for those of a template that is not known, that for the API.
    private var guidance: Advice {
        adviceTemplate.flatMap(Advice.init(template:)) ?? Advice(advice ?? "")
    }
}
