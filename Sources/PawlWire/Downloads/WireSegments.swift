package import PawlCore

/// Which bytes of a download are there, and which connection is to bring what.
package struct WireSegments: Codable, Sendable, Hashable {
    /// From the first byte up to, not including, `to`.
    package struct Part: Codable, Sendable, Hashable {
        package var from: Int64
        package var to: Int64
    }

    /// What one connection fetches.
    package struct Connection: Codable, Sendable, Hashable {
        /// Ascending; never used again by the same run.
        package var number: Int
        package var from: Int64
        /// Where it writes next.
        package var position: Int64
        /// Where it ends; nil where nobody knows how much there is.
        package var to: Int64?
        /// From where it fetches; with the port, where that is not the usual one.
        package var host: String?
    }

    package var id: Int64
    package var state: TaskState
    package var completedBytes: Int64
    package var totalBytes: Int64?
    package var bytesPerSecond: Int64?
    /// In the order of the file; nil where nothing is known.
    package var written: [Part]?
    /// In the order of the file.
    package var connections: [Connection]

    /// Of one that does not run: what is written, where that is known.
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

/// What happened to one download.
package struct WireEvents: Codable, Sendable, Hashable {
    /// In order.
    package var events: [WireEvent]
    /// What to give as `before` for those that came before; nil where there are none.
    package var next: Int64?

    package init(_ events: [WireEvent], next: Int64? = nil) {
        (self.events, self.next) = (events, next)
    }
}
