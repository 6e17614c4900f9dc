/// Which bytes of a running download are there, and which connection is to bring what, at one moment.
package struct SegmentMap: Sendable, Hashable {
    /// What one connection fetches.
    package struct Segment: Sendable, Hashable {
        /// Of the transfer; the next one of the same download has a higher number.
        package var number: Int
        package var written: ByteRange
        /// `Int64.max` where nobody knows how much there is.
        package var end: Int64
        /// From where it fetches: a name or an address, with the port where that is not the usual one.
        package var host: String?

        package init(number: Int, written: ByteRange, end: Int64, host: String? = nil) {
            (self.number, self.written, self.end) = (number, written, max(end, written.end))
            self.host = host
        }
    }

    /// With what the connections have written.
    package var written = RangeSet()
    /// In the order of the file.
    package var segments: [Segment] = []

    package init() {}
}
