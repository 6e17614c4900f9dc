package import PawlCore

/// The errors of a response that arrives, but cannot be used.
extension StreamDriver {
    package static func tooLarge(_ what: String, limit: Int64) -> DownloadError {
        DownloadError(
            .tooLarge,
            "the response has \(what), but at most \(limit) bytes may be kept in memory",
            advice: "raise the limit, read the body in pieces, or download it to a file"
        )
    }

    package static let changed = DownloadError(
        .keepsChanging,
        "the connection broke before the first byte, and the second response differs",
        advice: "send the request again"
    )

    static func undecodable(_ coding: String) -> DownloadError {
        DownloadError(
            .badResponse,
            "the response is encoded (\(coding.sanitized(atMost: 40))), which was not requested",
            advice: "request it without content codings (decodesContent)"
        )
    }
}
