package import struct FoundationEssentials.URL

/// What is known of a finished file, kept with it: an index that was lost is made again from these.
///
/// It holds no credential.
package struct FileRecord: Hashable, Sendable {
    /// The longest text that is read: a record comes from a disk that others write to.
    package static let longestText = 256 * 1024

    package var key: StorageKey
    /// Redacted: it tells where the file came from, and need not be fetchable any more.
    package internal(set) var source: String
    package var byteCount: Int64
    /// Of the file's last change, in nanoseconds since 1970: a file changed since is another one.
    package var modified: Int64
    /// Which file on the disk it was: tells it from a copy.
    ///
    /// Nil where that was not noted.
    package var inode: UInt64?
    /// Seconds since 1970.
    package var finishedAt: Int64
    package var digest: ContentDigest?
    package var entityTag: EntityTag?
    package var lastModified: String?
    package var mediaType: String?

    package init(
        key: StorageKey,
        source: URL,
        byteCount: Int64,
        modified: Int64,
        finishedAt: Int64
    ) {
        self.key = key
        self.source = source.redacted
        self.byteCount = byteCount
        self.modified = modified
        self.finishedAt = finishedAt
    }

    /// Of a file that the program itself wrote.
    package init(key: StorageKey, byteCount: Int64, modified: Int64, finishedAt: Int64) {
        self.key = key
        source = ""
        self.byteCount = byteCount
        self.modified = modified
        self.finishedAt = finishedAt
    }

    /// Whether a file of that size and time can be the one that this was written for.
    package func fits(byteCount: Int64, modified: Int64) -> Bool {
        self.byteCount == byteCount && self.modified == modified
    }
}
