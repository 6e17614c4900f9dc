package import struct FoundationEssentials.Date
package import PawlCore
internal import PawlWire

/// Decides whether and when a failed download is tried again (pure).
///
/// The engine has already retried within the run.
package struct OutagePolicy: Sendable {
    /// The maximum number of consecutive failures without a byte between them.
    package var mostFailures = 8
    /// The maximum number of consecutive failures that no server has caused, such as a lost
    /// network, a full disk, or another process that runs the same download.
    ///
    /// With `longestOutageWait` between them, they last about a week.
    package var mostOutages = 2000
    /// The longest wait after a failure that the network may have caused.
    package var longestOutageWait = Duration.seconds(300)
    /// The longest wait unless the server asks for a longer one (`Retry-After`).
    package var longestWait: Duration { .seconds(15 << 7) }

    package init() {}

    private static let transient: Set<ErrorCode> = [
        .network, .timedOut, .nameNotResolved, .serverBusy, .tooSlow, .captivePortal, .notTheFile,
        .diskFull, .alreadyRunning, .storeUnavailable,
    ]
    private static let local: Set<ErrorCode> = [.diskFull, .alreadyRunning, .storeUnavailable]
    private static let network: Set<ErrorCode> = [
        .network, .timedOut, .nameNotResolved, .captivePortal,
    ]

    /// A failure of a run, with the failures before it.
    package struct Failure: Sendable {
        package var error: DownloadError
        /// The number of consecutive failures without a byte between them, including this one.
        package var count = 1
        /// The number of these failures that this machine has caused, or that the network may have
        /// caused because no server has sent anything in the meantime.
        package var outages = 0
        /// Whether `outages` includes this failure.
        package var isOutage = false
        package var retryLimits = RetryLimits()

        package init(_ error: DownloadError) { self.error = error }
    }

    /// Whether a lost network may have caused an error, and not a server.
    package func mayBeNetwork(_ error: DownloadError) -> Bool { Self.network.contains(error.code) }

    /// Whether this machine has caused an error: a full disk, or another process.
    package func isLocal(_ code: ErrorCode) -> Bool { Self.local.contains(code) }

    /// Returns the rest of a wait that an earlier daemon began; it is never longer than planned,
    /// even if the wall clock was set.
    ///
    /// `wait`: the planned wait; `nil` if it is unknown.
    package func remaining(until date: Date, at now: Date, of wait: Duration?) -> Duration {
        let longest = (wait ?? longestWait).seconds
        return .seconds(max(0, min(date.timeIntervalSince(now), longest)))
    }

    /// Returns the wait before the next try; `nil` if there is none.
    package func wait(after failure: Failure) -> Duration? {
        let (error, retryLimits) = (failure.error, failure.retryLimits)
        let most = min(mostFailures, retryLimits.retries ?? mostFailures)
        guard Self.transient.contains(error.code), most > 0,
            failure.count - failure.outages <= most, failure.outages <= mostOutages
        else { return nil }
        // 15 s, 30 s, 1 min … 32 min.
        var wait = Duration.seconds(15 << max(0, min(failure.count - 1, 7)))
        if failure.isOutage { wait = min(wait, longestOutageWait) }
        return max(wait, min(error.retryAfter ?? .zero, retryLimits.maximumRetryAfter))
    }
}
