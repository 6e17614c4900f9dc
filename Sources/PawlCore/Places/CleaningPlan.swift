/// Which files of a cache go: least recently used first.
package struct CleaningPlan: Hashable, Sendable {
    /// Files that belong together and go together: one, or a partial file and its checkpoint.
    package struct Candidate: Hashable, Sendable {
        /// What the caller knows it by.
        package var index: Int
        package var bytes: Int64
        /// What the disk gains when it goes: nothing where the file has another name elsewhere.
        package var reclaimableBytes: Int64
        /// Nanoseconds since 1970.
        package var lastUsed: Int64
        package var isInUse: Bool

        package init(
            index: Int,
            bytes: Int64,
            reclaimableBytes: Int64,
            lastUsed: Int64,
            isInUse: Bool = false
        ) {
            self.index = index
            self.bytes = bytes
            self.reclaimableBytes = reclaimableBytes
            self.lastUsed = lastUsed
            self.isInUse = isInUse
        }
    }

    /// The order in which to go.
    package private(set) var doomed: [Int] = []

    /// `freeBytes`: what is free on the disk now; nil where that is not known, and then nothing goes
    /// for its sake.
    package init(
        _ candidates: [Candidate],
        policy: CleaningPolicy,
        now: Int64,
        freeBytes: Int64?
    ) {
        var total = Self.sum(candidates.map(\.bytes))
        var free = freeBytes
        // The same order each time, also among files of one instant.
        let oldestFirst = candidates.sorted { ($0.lastUsed, $0.index) < ($1.lastUsed, $1.index) }
        for candidate in oldestFirst where !candidate.isInUse {
            let isTooOld = Self.isTooOld(candidate, policy.maximumAge, now)
            let isTooMuch = policy.maximumTotalBytes.map { total > max(0, $0) } ?? false
            let isTooFull = Self.isTooFull(candidate, policy.minimumFreeBytes, free)
            guard isTooOld || isTooMuch || isTooFull else { continue }
            doomed.append(candidate.index)
            total -= max(0, candidate.bytes)
            free = free.map { Self.sum([$0, candidate.reclaimableBytes]) }
        }
    }

    private static func isTooOld(_ candidate: Candidate, _ limit: Duration?, _ now: Int64) -> Bool {
        guard let limit else { return false }
        let (age, overflow) = now.subtractingReportingOverflow(candidate.lastUsed)
        // A time in the future is a clock that was wrong once: such a file is new.
        return overflow ? now > candidate.lastUsed : age > max(0, limit.nanoseconds)
    }

    /// What frees nothing does not go for room's sake.
    private static func isTooFull(_ candidate: Candidate, _ wanted: Int64?, _ free: Int64?) -> Bool
    {
        guard let wanted, let free, candidate.reclaimableBytes > 0 else { return false }
        return free < wanted
    }

    /// Saturating: sizes come from a file system, which may be broken.
    private static func sum(_ numbers: [Int64]) -> Int64 {
        numbers.reduce(0) { total, number in
            let (sum, overflow) = total.addingReportingOverflow(max(0, number))
            return overflow ? .max : sum
        }
    }
}
