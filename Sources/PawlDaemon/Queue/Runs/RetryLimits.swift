package import PawlCore

/// The retry settings of a download.
package struct RetryLimits: Sendable, Hashable {
    /// The number of retries; `nil` for the daemon's default.
    package var retries: Int?
    /// The longest wait that a server may ask for.
    package var maximumRetryAfter: Duration
    /// Whether the request may be sent again, because it is idempotent (RFC 9110 §9.2.2).
    package var mayRepeat: Bool

    /// The longest wait that a server may ask for if the download sets no other.
    private static let day = Duration.seconds(86_400)

    package init(_ settings: SettingsDocument<DownloadSettings>? = nil) {
        retries = settings?[\.retries]
        maximumRetryAfter = settings?[\.maximumRetryAfter] ?? Self.day
        // Settings that cannot be read are not used, either.
        let method = (try? settings?.settings())?.requestMethod ?? "GET"
        mayRepeat = RequestMethod.isIdempotent(method)
    }
}
