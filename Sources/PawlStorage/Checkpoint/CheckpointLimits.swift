package import PawlCore

/// Bounds on what is written and on what is believed while reading.
package enum CheckpointLimits {
    /// Written and durable ranges together, while reading.
    static let ranges = CodingLimits.ranges
    /// Ranges of each kind, while writing: they fit into the largest slot whatever the texts.
    package static let rangesPerSet = 16_384
    package static let smallestSlot = 4096
    /// Holds some 300 ranges of each kind: growing is for the rarest of downloads.
    package static let usualSlot = 16 * 1024
    package static let largestSlot = 1024 * 1024
    /// A longer text is cut (the source) or left out (validators, types) while writing.
    package static let textLength = CodingLimits.textLength
}

extension RangeSet {
    /// The set itself, or its largest ranges: a checkpoint may claim less, never more.
    package var bounded: [ByteRange] {
        guard ranges.count > CheckpointLimits.rangesPerSet else { return ranges }
        return ranges.sorted { $0.count > $1.count }
            .prefix(CheckpointLimits.rangesPerSet)
            .sorted { $0.start < $1.start }
    }
}
