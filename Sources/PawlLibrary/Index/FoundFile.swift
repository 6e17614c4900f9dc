package import PawlCore

/// A file found in a library's folder: its status and its record, never its bytes.
package struct FoundFile: Hashable, Sendable {
    package var stamp: FileStamp
    package var record: RecordFinding
    /// The note on an unfinished download, if the file is one.
    package var pending: PendingDownload?

    package init(
        stamp: FileStamp,
        record: RecordFinding = .absent,
        pending: PendingDownload? = nil
    ) {
        self.stamp = stamp
        self.record = record
        self.pending = pending
    }

    /// The record, if it was written for the file as it is now.
    package var fittingRecord: FileRecord? {
        guard case .found(let record) = record,
            record.fits(byteCount: stamp.size, modified: stamp.modified)
        else { return nil }
        return record
    }
}

/// The record of a file.
package enum RecordFinding: Hashable, Sendable {
    case absent
    case found(FileRecord)
    /// The record cannot be read, for this reason.
    case damaged(String)
}
