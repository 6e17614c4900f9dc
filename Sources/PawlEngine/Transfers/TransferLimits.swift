internal import PawlCore

/// The limits that a transfer keeps: of all downloads together, of a group of them, and of its own.
///
/// Both may change at any moment.
struct TransferLimits: Sendable {
    let all: RateLimitClock
    /// Nil where it is in none.
    let group: RateLimitClock?
    let own: RateLimitClock

    /// How often one of them has changed.
    var changes: Int { all.changes + own.changes + (group?.changes ?? 0) }

    var isLimited: Bool { all.isLimited || own.isLimited || group?.isLimited == true }

    /// The lowest of them; nil where there is none.
    var bytesPerSecond: Int64? {
        [all, group, own].compactMap { $0?.limitBytesPerSecond }.min()
    }

    /// Counts bytes that came, and returns for how long their transfer must take no more.
    func charge(bytes: Int, now: Moment) -> Duration {
        max(
            all.charge(bytes: bytes, now: now),
            group?.charge(bytes: bytes, now: now) ?? .zero,
            own.charge(bytes: bytes, now: now)
        )
    }

    /// What a connection is to read at a time, where `bytes` are best: pieces that are small beside the
    /// limit come evenly.
    func bufferBytes(atMost bytes: Int) -> Int {
        guard let limit = bytesPerSecond else { return bytes }
        return min(bytes, max(4 * 1024, Int(clamping: limit / 16)))
    }
}
