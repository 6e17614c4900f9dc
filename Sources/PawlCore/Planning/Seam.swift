/// The amounts that are compared where bytes of two responses meet and no strong validator proves
/// that they are of the same file.
///
/// Such bytes touch only where one response contains both sides: it begins before its own bytes or
/// continues after them, and must equal the bytes there. Until then one byte between them is left
/// out, so that the ranges on disk show which bytes are proven to match.
package enum Seam {
    /// The number of bytes before its own at which a request begins, if those are present.
    package static let leadBytes: Int64 = 64 * 1024
    /// The number of bytes behind its end for which a response is compared with its neighbour;
    /// shorter pieces prove too little and are dropped.
    package static let tailBytes: Int64 = 16 * 1024
    /// The number of positions where the bytes of an earlier run are compared, besides their ends.
    package static let samples = 3
    /// The length up to which bytes of an earlier run are compared only at their ends.
    package static let leastSampledBytes: Int64 = 4 * leadBytes
    /// The shortest lead, for a server that sends short ranges only.
    static let leastLeadBytes: Int64 = 4 * 1024

    /// Returns the end of the bytes that count of a response that has reached `position` and should
    /// end at `end`.
    ///
    /// Bytes after the end are those of its neighbour, and the last byte before the end counts
    /// only if the response was compared with what follows.
    package static func countedEnd(at position: Int64, before end: Int64, isProven: Bool) -> Int64 {
        min(position, isProven ? end : end - 1)
    }
}
