/// How much is compared where bytes of two answers meet and no strong validator proves that they
/// are of the same file.
///
/// Such bytes touch only where one answer contains both sides: it begins before its own bytes or
/// continues behind them, and must equal the bytes there. Until then a byte between them is left
/// out, so that the ranges on disk show what is proven.
package enum Seam {
    /// How many bytes before its own a request begins, if bytes are there.
    package static let leadBytes: Int64 = 64 * 1024
    /// How many bytes behind its end an answer is compared with its neighbour; shorter pieces prove
    /// too little and are dropped.
    package static let tailBytes: Int64 = 16 * 1024
    /// The number of places where the bytes of an earlier run are compared, besides their ends.
    package static let samples = 3
    /// Fewer bytes of an earlier run are compared at their ends only.
    package static let leastSampledBytes: Int64 = 4 * leadBytes
    /// The shortest lead, for a server that sends short ranges only.
    static let leastLeadBytes: Int64 = 4 * 1024

    /// Where the bytes end that count of an answer that has reached `position` and is to end at
    /// `end`.
    ///
    /// Bytes behind the end are those of its neighbour, and the last byte before the end counts
    /// only if the answer was compared with what follows.
    package static func countedEnd(at position: Int64, before end: Int64, isProven: Bool) -> Int64 {
        min(position, isProven ? end : end - 1)
    }
}
