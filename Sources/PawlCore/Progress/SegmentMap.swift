/// The bytes of a running download that are present, and the ranges that its connections fetch, at
/// one moment.
package struct SegmentMap: Sendable, Hashable {
    /// The range that one connection fetches.
    package struct Segment: Sendable, Hashable {
        /// The number of the transfer.
        ///
        /// Later transfers of the same download have higher numbers.
        package var number: Int
        package var written: ByteRange
        /// The end; `Int64.max` if the size of the file is not known.
        package var end: Int64
        /// The host it fetches from, by name or address, with the port if it is not the default.
        package var host: String?

        package init(number: Int, written: ByteRange, end: Int64, host: String? = nil) {
            (self.number, self.written, self.end) = (number, written, max(end, written.end))
            self.host = host
        }
    }

    /// The written ranges, including what the connections have written.
    package var written = RangeSet()
    /// The segments in the order of the file.
    package var segments: [Segment] = []

    package init() {}
}
