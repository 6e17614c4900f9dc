package import PawlCore

/// A sequence of parts that one node fetches.
package struct Stripe: Hashable, Sendable {
    package var parts: Range<Int>
    /// The node that has taken the stripe; `nil` if none has.
    package var node: Int64?
    /// The number of owners before this one, which determines the numbers of the parts.
    package var attempt: Int

    package init(parts: Range<Int>, node: Int64? = nil, attempt: Int = 0) {
        self.parts = parts
        self.node = node
        self.attempt = attempt
    }

    /// Takes the stripe from its node.
    ///
    /// The node may have parts on their way, so the next owner uses other numbers.
    package mutating func release() {
        guard node != nil else { return }
        node = nil
        attempt += 1
    }
}

/// Divides a large file among nodes, and decides which stripe a node takes next.
package struct StripePlanner: Sendable {
    /// The size from which a file is divided by default.
    package static let defaultThreshold: Int64 = 4 << 30
    /// The maximum number of stripes at the beginning.
    package static let mostStripes = 512

    package enum Choice: Hashable, Sendable {
        /// Take the stripe at this index.
        case take(Int)
        /// Take the parts of the stripe at this index from `part` on, as a stripe of its own.
        case split(Int, at: Int)
        /// There is nothing to do.
        case nothing
    }

    /// The size from which a file is divided.
    package var threshold: Int64
    /// The number of parts that an owner may have begun, and that are therefore not taken from it.
    package var begunParts: Int

    package init(threshold: Int64 = Self.defaultThreshold, begunParts: Int = 8) {
        self.threshold = max(1, threshold)
        self.begunParts = max(1, begunParts)
    }

    /// Whether several nodes may fetch a file at the same time.
    ///
    /// Without a strong validator, nothing proves that their bytes are of the same representation.
    package func divides(_ representation: Representation, acceptsRanges: Bool) -> Bool {
        guard let total = representation.total, total > threshold else { return false }
        return acceptsRanges && representation.validatorStrength == .strong
            && representation.contentEncoding == nil
    }

    /// Whether the bytes of a response may become parts of an upload that was begun for `pinned`.
    package func mayContribute(_ seen: Representation, to pinned: Representation) -> Bool {
        pinned.isProvenSame(seen)
    }

    /// Returns the stripes of a file: equal, of whole parts, and about four of them per threshold.
    package func stripes(of grid: UploadGrid) -> [Stripe] {
        guard let count = grid.count, count > 0 else { return [] }
        guard let total = grid.total, total > threshold else { return [Stripe(parts: 0..<count)] }
        let wanted = max(2, min(Int64(Self.mostStripes), total / max(1, threshold / 4)))
        let stripes = min(count, Int(wanted))
        return (0..<stripes).map { index in
            Stripe(parts: index * count / stripes..<(index + 1) * count / stripes)
        }
    }

    /// Decides what a node without a stripe of this file does next.
    ///
    /// `have`: the parts that are recorded, by their index. Free stripes are taken from the
    /// beginning of the file. If none is free, the node relieves the owner with the most parts left
    /// of their second half.
    package func next(_ stripes: [Stripe], have: [Bool], node: Int64) -> Choice {
        var largest: (index: Int, missing: [Int])?
        for (index, stripe) in stripes.enumerated() {
            let missing = stripe.parts.filter { !have[$0] }
            guard !missing.isEmpty else { continue }
            if stripe.node == nil { return .take(index) }
            guard stripe.node != node, missing.count > largest?.missing.count ?? 0 else { continue }
            largest = (index, missing)
        }
        guard let (index, missing) = largest, missing.count >= 2 * begunParts else {
            return .nothing
        }
        return .split(index, at: missing[missing.count - missing.count / 2])
    }

    /// Returns the two stripes that result if the parts from `part` on are taken by a node.
    ///
    /// The first owner may have begun a part of the second stripe, so its numbers are not used.
    package func split(_ stripe: Stripe, at part: Int, for node: Int64) -> (Stripe, Stripe) {
        var (first, second) = (stripe, stripe)
        first.parts = stripe.parts.lowerBound..<part
        second.parts = part..<stripe.parts.upperBound
        second.node = node
        second.attempt += 1
        return (first, second)
    }
}
