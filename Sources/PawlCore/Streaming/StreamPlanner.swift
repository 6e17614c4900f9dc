package import struct FoundationEssentials.URL

/// Decides to which URL a data task or stream sends its request next, and whether it repeats it.
///
/// The answer cannot be resumed: a repetition starts with the original request, and only if the
/// caller has not received a byte. It reads no clock and does no I/O.
package struct StreamPlanner: Sendable {
    /// The part of an answer that was received before it broke or stalled.
    package enum Progress: Sendable {
        case nothing
        /// A good head, and no byte that the caller has received.
        case head
        /// Bytes that the caller has received, and that cannot be taken back.
        case seenBytes
    }

    private var exchange: ExchangePlanner

    package init(url: URL, method: String, settings: DownloadSettings, seed: UInt64) {
        exchange = ExchangePlanner(url: url, method: method, settings: settings, seed: seed)
    }

    /// The request that is sent next.
    package var request: ExchangePlanner.Request { exchange.request }
    /// The URLs that redirected to `request`, first the one that was requested first.
    package var redirects: [URL] { exchange.redirects }

    package mutating func redirected(status: Int, to location: String) -> ExchangePlanner.Step {
        exchange.redirected(status: status, to: location)
    }

    package mutating func refused(
        status: Int,
        reason: String,
        retryAfter: Duration?
    ) -> ExchangePlanner.Step {
        let error = DownloadError(
            status: status,
            reason: reason,
            retryAfter: retryAfter,
            host: request.host
        )
        return failed(error, error.retryClass == .later ? .later : nil)
    }

    package mutating func broke(
        _ failure: TransferFailure,
        after progress: Progress
    ) -> ExchangePlanner.Step {
        let repetition = ExchangePlanner.repetition(
            after: failure.kind,
            hasAnswered: progress != .nothing
        )
        return failed(DownloadError(failure, host: request.host), repetition, after: progress)
    }

    package mutating func stalled(
        for time: Duration,
        after progress: Progress
    ) -> ExchangePlanner.Step {
        let error = DownloadError(stalledFor: time, host: request.host, advice: "try again later")
        return failed(error, .immediate, after: progress)
    }

    private mutating func failed(
        _ error: DownloadError,
        _ repetition: ExchangePlanner.Repetition?,
        after progress: Progress = .head
    ) -> ExchangePlanner.Step {
        let step = exchange.failed(error, progress == .seenBytes ? nil : repetition)
        if step.delay != nil { exchange.restart() }
        return step
    }
}
