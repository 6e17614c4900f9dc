package import PawlCore

/// The bytes of a download that are present, and the ranges that its connections fetch.
package struct WireSegments: Codable, Sendable, Hashable {
    /// A range from `from` up to, but not including, `to`.
    package struct Part: Codable, Sendable, Hashable {
        package var from: Int64
        package var to: Int64
    }

    package var id: Int64
    package var state: TaskState
    package var completedBytes: Int64
    package var totalBytes: Int64?
    package var bytesPerSecond: Int64?
    /// The written ranges in the order of the file; `nil` if they are not known.
    package var written: [Part]?
    /// The connections in the order of the file.
    package var connections: [SegmentMap.ConnectionRange]

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
        connections = map?.segments ?? []
    }
}
