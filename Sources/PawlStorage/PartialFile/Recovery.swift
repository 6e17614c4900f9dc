package import PawlCore

/// The files of an earlier run.
package enum RecoveredStore: Sendable {
    /// There is nothing to resume from.
    ///
    /// The notes name what was set aside, if anything.
    case nothing(notes: [String])
    case resumable(PartialStore, Recovery)
    /// There is a partial file of another program.
    ///
    /// It was not changed: choose another name.
    case foreignPartial
}

/// The bytes to resume from.
package struct Recovery: Sendable {
    /// The representation of the bytes.
    ///
    /// If `have` is empty, this value does not matter: use the server's current representation, and
    /// call `reset` with it.
    package var representation: Representation
    /// The URL of the source with its secrets hidden.
    package var source: String
    /// The proven bytes.
    package var have: RangeSet
    /// Sentences for the log: what was not trusted, and why.
    package var notes: [String]
    /// Whether the bytes are another tool's, so that only a digest can prove them.
    package var isForeign = false
    /// Whether the bytes are of another URL's download and proven to be of the same file.
    package var isAnothers = false

    package init(
        representation: Representation,
        source: String,
        have: RangeSet,
        notes: [String],
        isForeign: Bool = false
    ) {
        (self.representation, self.source) = (representation, source)
        (self.have, self.notes, self.isForeign) = (have, notes, isForeign)
    }
}

extension Recovery {
    /// Describes the result of checking the tails.
    static func notes(_ checkpoint: Checkpoint, _ check: TailCheck) -> [String] {
        var notes: [String] = []
        let lost = checkpoint.written.subtracting(checkpoint.durable)
        if !check.isOfThisBoot, !lost.isEmpty {
            notes.append(
                "the machine was restarted: \(lost.count) bytes that were written but not "
                    + "synced are fetched again"
            )
        }
        if let first = check.refused.ranges.first {
            let more = check.refused.ranges.count - 1
            notes.append(
                "the partial file does not contain what its checkpoint claims: bytes \(first)"
                    + (more > 0 ? " and \(more) more ranges are" : " are") + " fetched again"
            )
        }
        return notes
    }
}
