package import PawlCore

/// Whether a download that failed is tried again by itself, and when: an outage passes.
///
/// What the engine bears within a run has been borne already.
package struct OutagePolicy: Sendable {
    /// More in a row, without a byte between them, are a failure.
    package var mostFailures = 8

    package init() {}

    private static let transient: Set<ErrorCode> = [
        .network, .timedOut, .nameNotResolved, .serverBusy, .tooSlow, .captivePortal, .notTheFile,
    ]

    /// The wait before the next try, after so many failures in a row; nil where there is none.
    package func wait(after error: DownloadError, failures: Int) -> Duration? {
        guard Self.transient.contains(error.code), failures <= mostFailures else { return nil }
        // 15 s, 30 s, 1 min … 32 min.
        let wait = Duration.seconds(15 * (1 << max(0, min(failures - 1, 7))))
        return max(wait, error.retryAfter ?? .zero)
    }
}
