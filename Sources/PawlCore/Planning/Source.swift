/// One URL that can serve the file: the exchange with its server, and the evidence of its
/// responses.
struct Source: Sendable {
    var exchange: ExchangePlanner
    var evidence = SourceEvidence()
    var earlyEnds: EarlyEndPolicy
    /// The time at which the source may be used again after a failure.
    var retryAt: Moment?
    /// The reason why the source is no longer used; the download fails when every source has one.
    var failure: DownloadError?
    /// Whether the server of the file has named it as another source of the same file.
    var isNamedByServer = false
    /// Whether another source is tried alone.
    var isSetAside = false
    /// The number of consecutive segments below the minimum speed.
    var slowCount = 0
    /// The speed of the connection that was last replaced as slow; `nil` if the source was used
    /// since.
    var slowBytesPerSecond: Double?

    init(_ exchange: ExchangePlanner, seed: UInt64) {
        self.exchange = exchange
        earlyEnds = EarlyEndPolicy(seed: seed)
    }

    var isUsable: Bool { failure == nil && !isSetAside && !evidence.isDoubted }

    /// The name by which the host budget counts its next connection.
    var host: String { exchange.request.host }

    /// Whether the server ever sent a good response or bytes.
    var hasResponded: Bool { exchange.isConfirmed || evidence.hasServed }

    /// Requires the source to prove its file again: another one may be pinned now.
    mutating func forgetProof() {
        evidence.forgetProof()
        exchange.forgetConfirmation()
    }

    /// Opens no connection before `moment`, or later if a longer wait is under way.
    mutating func wait(until moment: Moment) { retryAt = max(retryAt ?? .zero, moment) }

    mutating func passTime(_ now: Moment) {
        if let moment = retryAt, now >= moment { retryAt = nil }
    }
}
