package import PawlCore

/// A finished file as an index knows it.
package struct KnownFile: Hashable, Sendable {
    package var name: ExactText
    package var record: FileRecord
    package var stamp: FileStamp
    /// Whether its bytes are no longer those that were fetched: it was written to, or another file
    /// has its name.
    package var isChanged = false

    package init(name: ExactText, record: FileRecord, stamp: FileStamp) {
        self.name = name
        self.record = record
        self.stamp = stamp
    }
}
