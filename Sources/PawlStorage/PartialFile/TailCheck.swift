internal import PawlCore
internal import SystemPackage

/// Which of a checkpoint's claims the partial file bears out.
struct TailCheck: Sendable {
    let isOfThisBoot: Bool
    /// What counts: proven, and on this boot written or else durable.
    let usable: RangeSet
    /// The part of it that is durable.
    let durable: RangeSet
    /// Claimed by what counts, but not proven.
    let refused: RangeSet

    init(_ checkpoint: Checkpoint, in file: OpenFile, boot: BootIdentity) {
        isOfThisBoot = boot.isSame(as: checkpoint.bootIdentity)
        durable = Self.proven(checkpoint.durableClaims, in: file)
        // A written range that is not proven may still hold a durable one that is.
        var usable = durable
        var claimed = checkpoint.durable
        if isOfThisBoot {
            usable.formUnion(Self.proven(checkpoint.writtenClaims, in: file))
            claimed.formUnion(checkpoint.written)
        }
        self.usable = usable
        refused = claimed.subtracting(usable)
    }

    private static func proven(_ claims: [Claim], in file: OpenFile) -> RangeSet {
        RangeSet(
            claims.lazy
                // What cannot be read proves nothing: it is fetched again.
                .filter { (try? file.checksum(of: Claim.tailRange(of: $0.range))) == $0.tail }
                .map(\.range)
        )
    }
}

extension RangeSet {
    func subtracting(_ other: RangeSet) -> RangeSet {
        var rest = self
        for range in other.ranges { rest.remove(range) }
        return rest
    }
}
