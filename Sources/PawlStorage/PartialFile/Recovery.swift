package import PawlCore

/// What an earlier run left behind.
package enum RecoveredStore: Sendable {
    /// Nothing to go on with. The notes say what was set aside, if anything.
    case nothing(notes: [String])
    case resumable(PartialStore, Recovery)
    /// There is a partial file that is not Pawl's. It was not touched: choose another name.
    case foreignPartial
}

/// What can be gone on with.
package struct Recovery: Sendable {
    /// What the bytes are of.
    ///
    /// Where `have` is empty it binds nobody: pin what the server says now and call `reset` with
    /// it.
    package var representation: Representation
    /// The URL that it came from, its secrets hidden.
    package var source: String
    /// The bytes that were proven.
    package var have: RangeSet
    /// Sentences for the log: what was not believed, and why.
    package var notes: [String]
    /// The bytes are another tool's: only a digest can prove them.
    package var isForeign = false
    /// The bytes are of another URL's download, and proven to be of the same file.
    package var isAnothers = false
}

extension Recovery {
    /// What the check of the tails gave, in words.
    static func notes(_ checkpoint: Checkpoint, _ check: TailCheck) -> [String] {
        var notes: [String] = []
        let lost = checkpoint.written.subtracting(checkpoint.durable)
        if !check.isOfThisBoot, !lost.isEmpty {
            notes.append(
                "the machine was restarted since: \(lost.count) bytes that were written but not "
                    + "synced are fetched again"
            )
        }
        if let first = check.refused.ranges.first {
            let more = check.refused.ranges.count - 1
            notes.append(
                "the partial file does not hold what its checkpoint claims: bytes \(first)"
                    + (more > 0 ? " and \(more) more ranges are" : " are") + " fetched again"
            )
        }
        return notes
    }
}
