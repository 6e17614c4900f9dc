/// Decides which files of a cache are removed, least recently used first.
package struct CleaningPlan: Hashable, Sendable {
    /// Files that are removed together: a single file, or a partial file and its checkpoint.
    package struct Candidate: Hashable, Sendable {
        /// The caller's index of the files.
        package var index: Int
        package var bytes: Int64
        /// The space that removing them frees: none if the file has another name elsewhere.
        package var reclaimableBytes: Int64
        /// The time of the last use, in nanoseconds since 1970.
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

    /// The indexes of the files to remove, in order.
    package private(set) var doomed: [Int] = []

    /// Creates a plan.
    ///
    /// `freeBytes` is the free space on the disk now; if it is `nil`, nothing is removed to free
    /// space.
    package init(
        _ candidates: [Candidate],
        policy: CleaningPolicy,
        now: Int64,
        freeBytes: Int64?
    ) {
        var total = Self.sum(candidates.map(\.bytes))
        var free = freeBytes
        // The order is always the same, even among files with equal times.
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
        // A time in the future comes from a wrong clock; such a file counts as new.
        return overflow ? now > candidate.lastUsed : age > max(0, limit.nanoseconds)
    }

    /// Whether too little space is free.
    ///
    /// A file whose removal frees nothing is not removed for this reason.
    private static func isTooFull(_ candidate: Candidate, _ wanted: Int64?, _ free: Int64?) -> Bool
    {
        guard let wanted, let free, candidate.reclaimableBytes > 0 else { return false }
        return free < wanted
    }

    /// Returns the sum, saturating: sizes come from a file system, which may be damaged.
    private static func sum(_ numbers: [Int64]) -> Int64 {
        numbers.reduce(0) { total, number in
            let (sum, overflow) = total.addingReportingOverflow(max(0, number))
            return overflow ? .max : sum
        }
    }
}
