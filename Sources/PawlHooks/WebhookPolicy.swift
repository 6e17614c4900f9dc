package import PawlCore

/// Decides when a request to a webhook is sent again.
package struct WebhookPolicy: Sendable {
    /// The waits before the next requests; then it is given up.
    private let waits: [Duration]

    /// For a process that ends soon.
    package static let brief = WebhookPolicy(waits: [.seconds(1), .seconds(5)])
    /// For the daemon: about a day.
    package static let patient = WebhookPolicy(
        waits: [10, 60, 300, 1800, 7200, 21_600, 43_200].map { .seconds($0) }
    )

    /// Returns the wait before the next request; `nil` if there is none.
    ///
    /// - Parameters:
    ///   - error: The failure of the last request.
    ///   - failures: The number of requests that have failed.
    package func wait(after error: DownloadError, failures: Int) -> Duration? {
        guard Self.mayHelp(error), (1...waits.count).contains(failures) else { return nil }
        let most = waits.max() ?? .zero
        return max(waits[failures - 1], min(error.retryAfter ?? .zero, most))
    }

    /// A server that refuses the request itself refuses it again.
    private static func mayHelp(_ error: DownloadError) -> Bool {
        guard let status = error.httpStatus else { return error.isRetryable }
        return status >= 500 || status == 408 || status == 429
    }
}
