public import struct FoundationEssentials.Date

/// A finished file of a library.
public struct LibraryFile: Sendable, Hashable {
    /// The user's own name for it.
    public let key: StorageKey
    /// Where it is.
    public let path: String
    /// Its name in the library's folder.
    public let name: String
    /// Its size in bytes.
    public let byteCount: Int64
    /// What it must have as long as it is undamaged; nil where none was made.
    public let digest: ContentDigest?
    /// Lower case, without parameters.
    public let mediaType: String?
    /// As the server sent it.
    public let entityTag: String?
    /// As the server sent it.
    public let lastModified: String?
    /// The URL that it came from, its secrets hidden; empty where a program wrote it.
    public let source: String
    /// When it was finished.
    public let finishedAt: Date

    package init(_ file: KnownFile, in folder: String) {
        let record = file.record
        key = record.key
        path = folder + "/" + file.name
        name = file.name
        byteCount = record.byteCount
        digest = record.digest
        mediaType = record.mediaType
        entityTag = record.entityTag?.description
        lastModified = record.lastModified
        source = record.source
        finishedAt = Date(timeIntervalSince1970: Double(record.finishedAt))
    }
}

/// A finished file, as an index knows it.
package struct KnownFile: Hashable, Sendable {
    package var name: String
    package var record: FileRecord
    package var stamp: FileStamp
    /// Its bytes are not those that were fetched: it was written to, or another file has its name.
    package var isChanged = false

    package init(name: String, record: FileRecord, stamp: FileStamp) {
        self.name = name
        self.record = record
        self.stamp = stamp
    }
}
