internal import PawlCore
internal import SystemPackage

/// Checks which of a checkpoint's claims the partial file confirms.
struct TailCheck: Sendable {
    let isOfThisBoot: Bool
    /// The ranges that count: proven, and written in this boot or durable.
    let usable: RangeSet
    /// The part of `usable` that is durable.
    let durable: RangeSet
    /// The ranges that were claimed but not proven.
    let refused: RangeSet

    init(_ checkpoint: Checkpoint, in file: OpenFile, boot: BootIdentity) {
        isOfThisBoot = boot.isSame(as: checkpoint.bootIdentity)
        durable = Self.proven(checkpoint.durableClaims, in: file)
        // A written range that is not proven may contain a durable one that is.
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
                // A range that cannot be read proves nothing and is fetched again.
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
