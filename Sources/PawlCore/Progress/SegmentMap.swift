/// The bytes of a running download that are present, and the ranges that its connections fetch, at
/// one moment.
package struct SegmentMap: Sendable, Hashable {
    /// The range that one connection fetches.
    package struct ConnectionRange: Codable, Sendable, Hashable {
        /// The number of the connection.
        ///
        /// Numbers ascend and are never reused within a run.
        package var number: Int
        package var from: Int64
        /// The position of the next byte to be written.
        package var position: Int64
        /// The end of the range; `nil` if the size of the file is not known.
        package var to: Int64?
        /// The host it fetches from, by name or address, with the port if it is not the default.
        package var host: String?

        package init(number: Int, written: ByteRange, end: Int64, host: String? = nil) {
            (self.number, from, position) = (number, written.start, written.end)
            to = end == .max ? nil : max(end, written.end)
            self.host = host
        }
    }

    /// The written ranges, including what the connections have written.
    package var written = RangeSet()
    /// The segments in the order of the file.
    package var segments: [ConnectionRange] = []

    package init() {}
}
