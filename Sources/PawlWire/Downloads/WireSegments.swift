package import PawlCore

/// The bytes of a download that are present, and the ranges that its connections fetch.
package struct WireSegments: Codable, Sendable, Hashable {
    /// A range from `from` up to, but not including, `to`.
    package struct Part: Codable, Sendable, Hashable {
        package var from: Int64
        package var to: Int64
    }

    /// The range that one connection fetches.
    package struct Connection: Codable, Sendable, Hashable {
        /// The number of the connection.
        ///
        /// Numbers ascend and are never reused within a run.
        package var number: Int
        package var from: Int64
        /// The position of the next byte to be written.
        package var position: Int64
        /// The end of the range; `nil` if the size of the file is not known.
        package var to: Int64?
        /// The host it fetches from, with the port if that is not the default.
        package var host: String?
    }

    package var id: Int64
    package var state: TaskState
    package var completedBytes: Int64
    package var totalBytes: Int64?
    package var bytesPerSecond: Int64?
    /// The written ranges in the order of the file; `nil` if they are not known.
    package var written: [Part]?
    /// The connections in the order of the file.
    package var connections: [Connection]

    /// Creates the value for a download that does not run, from the written ranges, if they are
    /// known.
    package init(_ download: WireDownload, written ranges: [ByteRange]?) {
        self.init(download)
        guard let ranges else { return }
        written = ranges.map { Part(from: $0.start, to: $0.end) }
        completedBytes = ranges.map(\.count).reduce(0, +)
    }

    package init(_ download: WireDownload, _ map: SegmentMap? = nil) {
        id = download.id
        state = download.state
        completedBytes = download.completedBytes
        totalBytes = download.totalBytes
        bytesPerSecond = download.bytesPerSecond
        written = map?.written.ranges.map { Part(from: $0.start, to: $0.end) }
        connections = (map?.segments ?? []).map { segment in
            Connection(
                number: segment.number,
                from: segment.written.start,
                position: segment.written.end,
                to: segment.end == .max ? nil : segment.end,
                host: segment.host
            )
        }
    }
}

/// The events of one download.
package struct WireEvents: Codable, Sendable, Hashable {
    /// The events, oldest first.
    package var events: [WireEvent]
    /// The value of `before` for the earlier events; `nil` if there are none.
    package var next: Int64?

    package init(_ events: [WireEvent], next: Int64? = nil) {
        (self.events, self.next) = (events, next)
    }
}
