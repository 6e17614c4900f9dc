/// How much is compared where bytes of two answers meet and no strong validator proves that they are
/// of the same file.
///
/// Such bytes touch only where one answer has brought what lies on both sides: it begins before its
/// own bytes, or runs on behind them, and what it brings there must be what is there. Until then a
/// byte between them is left out, so that the ranges on disk show what is proven.
package enum Seam {
    /// How many bytes before its own a request begins, where bytes are there.
    package static let leadBytes: Int64 = 64 * 1024
    /// How many bytes behind its own end an answer is compared with its neighbour's; shorter pieces
    /// prove too little, and are dropped.
    package static let tailBytes: Int64 = 16 * 1024
    /// In how many places the bytes of an earlier run are compared, besides their ends.
    package static let samples = 3
    /// Fewer bytes of an earlier run are compared at their ends alone.
    package static let leastSampledBytes: Int64 = 4 * leadBytes
    /// The shortest lead, where a server sends no more than a little at a time.
    static let leastLeadBytes: Int64 = 4 * 1024
}
