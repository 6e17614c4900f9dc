package import struct FoundationEssentials.Date
package import PawlCore
internal import PawlWire

/// Whether a download that failed is tried again by itself, and when: an outage passes.
///
/// What the engine bears within a run has been borne already.
package struct OutagePolicy: Sendable {
    /// More in a row, without a byte between them, are a failure.
    package var mostFailures = 8
    /// More in a row that are nobody's fault who serves the file are a failure, such as those of the network
    /// or a full disk: a week of them.
    package var mostOutages = 2000
    /// How long is waited at most where it may be the network's.
    package var longestOutageWait = Duration.seconds(300)
    /// How long is waited at most by itself.
    package var longestWait: Duration { .seconds(15 << 7) }

    package init() {}

    private static let transient: Set<ErrorCode> = [
        .network, .timedOut, .nameNotResolved, .serverBusy, .tooSlow, .captivePortal, .notTheFile,
        .diskFull,
    ]
    private static let network: Set<ErrorCode> = [
        .network, .timedOut, .nameNotResolved, .captivePortal,
    ]

    /// How a run has failed, and what was before it.
    package struct Failure: Sendable {
        package var error: DownloadError
        /// How many in a row without a byte between them, with this one.
        package var count = 1
        /// How many of these may be the network's, as nothing came from any server meanwhile, or a full
        /// disk's.
        package var outages = 0
        /// Whether this one is among them.
        package var isOutage = false
        package var patience = Patience()

        package init(_ error: DownloadError) { self.error = error }
    }

    /// Whether a network without a way to the Internet may be the cause, and no server.
    package func mayBeNetwork(_ error: DownloadError) -> Bool { Self.network.contains(error.code) }

    /// What is left of a wait that an earlier daemon began, never more than it was meant to take, whatever
    /// the wall clock says by now.
    ///
    /// `wait`: how long it was meant to take; nil where that is not known.
    package func remaining(until date: Date, at now: Date, of wait: Duration?) -> Duration {
        let longest = (wait ?? longestWait).seconds
        return .seconds(max(0, min(date.timeIntervalSince(now), longest)))
    }

    /// The wait before the next try; nil where there is none.
    package func wait(after failure: Failure) -> Duration? {
        let (error, patience) = (failure.error, failure.patience)
        let most = min(mostFailures, patience.retries ?? mostFailures)
        guard Self.transient.contains(error.code), most > 0,
            failure.count - failure.outages <= most, failure.outages <= mostOutages
        else { return nil }
        // 15 s, 30 s, 1 min … 32 min.
        var wait = Duration.seconds(15 << max(0, min(failure.count - 1, 7)))
        if failure.isOutage { wait = min(wait, longestOutageWait) }
        return max(wait, min(error.retryAfter ?? .zero, patience.maximumRetryAfter))
    }
}

/// What a download says of being tried again.
package struct Patience: Sendable, Hashable {
    /// How often; nil is as often as the daemon does it.
    package var retries: Int?
    /// The longest wait that a server may ask for.
    package var maximumRetryAfter: Duration

    /// What is believed of a server where the download says nothing.
    private static let day = Duration.seconds(86_400)

    package init(_ settings: SettingsDocument<DownloadSettings>? = nil) {
        retries = settings?[\.retries]
        maximumRetryAfter = settings?[\.maximumRetryAfter] ?? Self.day
    }
}
