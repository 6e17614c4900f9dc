internal import PawlCore

/// The limits that a transfer keeps: for all downloads together, for groups of them, and its own.
///
/// Each may change at any time.
struct TransferLimits: Sendable {
    let all: RateLimitClock
    /// The limits of the groups; `nil` if the download can belong to none.
    let groups: GroupLimits?
    let own: RateLimitClock

    /// The number of changes of the limits so far.
    var changes: Int { all.changes + own.changes + (groups?.changes ?? 0) }

    var isLimited: Bool { all.isLimited || own.isLimited || groups?.isLimited == true }

    /// The lowest of the limits; `nil` if there is none.
    var bytesPerSecond: Int64? {
        [all.limitBytesPerSecond, groups?.bytesPerSecond, own.limitBytesPerSecond]
            .compactMap { $0 }.min()
    }

    /// Counts received bytes.
    ///
    /// Returns for how long the transfer must not read.
    func charge(bytes: Int, now: Moment) -> Duration {
        max(
            all.charge(bytes: bytes, now: now),
            groups?.charge(bytes: bytes, now: now) ?? .zero,
            own.charge(bytes: bytes, now: now)
        )
    }

    /// Returns for how long a further transfer must not begin.
    func wait(at now: Moment) -> Duration {
        max(all.wait(at: now), groups?.wait(at: now) ?? .zero, own.wait(at: now))
    }

    /// The number of bytes that a connection should read at once, if `bytes` are best without a
    /// limit.
    ///
    /// Pieces that are small relative to the limit arrive evenly.
    func bufferBytes(atMost bytes: Int) -> Int {
        guard let limit = bytesPerSecond else { return bytes }
        return min(bytes, max(4 * 1024, Int(clamping: limit / 16)))
    }
}
