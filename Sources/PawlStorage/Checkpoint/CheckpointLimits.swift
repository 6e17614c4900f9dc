package import PawlCore

/// The limits on what is written, and on what is accepted while reading.
package enum CheckpointLimits {
    /// The maximum number of written and durable ranges together, while reading.
    static let ranges = CodingLimits.ranges
    /// The maximum number of ranges of each kind, while writing.
    ///
    /// They fit into the largest slot, whatever the texts.
    package static let rangesPerSet = 16_384
    package static let smallestSlot = 4096
    /// The usual size of a slot.
    ///
    /// It has room for some 300 ranges of each kind, so slots rarely have to grow.
    package static let usualSlot = 16 * 1024
    package static let largestSlot = 1024 * 1024
    /// The maximum length of a text.
    ///
    /// While writing, a longer source is cut, and longer validators and types are left out.
    package static let textLength = CodingLimits.textLength
}

extension RangeSet {
    /// The ranges of the set, or its largest ones: a checkpoint may claim less, but never more.
    package var bounded: [ByteRange] {
        guard ranges.count > CheckpointLimits.rangesPerSet else { return ranges }
        return ranges.sorted { $0.count > $1.count }
            .prefix(CheckpointLimits.rangesPerSet)
            .sorted { $0.start < $1.start }
    }
}
