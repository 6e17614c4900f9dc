package import struct FoundationEssentials.URL
package import PawlCore

/// The description of a finished file, stored with it, from which a lost index can be restored.
///
/// It contains no credential.
package struct FileRecord: Hashable, Sendable {
    /// The maximum length of a text that is read, because others can write to the disk.
    package static let longestText = 256 * 1024

    package var key: StorageKey
    /// The redacted URL.
    ///
    /// It shows where the file came from, but the file may no longer be available there.
    package internal(set) var source: String
    package var byteCount: Int64
    /// The file's modification time in nanoseconds since 1970.
    ///
    /// A file with another time is another file.
    package var modified: Int64
    /// The inode number of the file, which distinguishes the file from a copy.
    ///
    /// It is `nil` if it was not recorded.
    package var inode: UInt64?
    /// The time in seconds since 1970.
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

    /// Creates the record of a file that the program itself wrote.
    package init(key: StorageKey, byteCount: Int64, modified: Int64, finishedAt: Int64) {
        self.key = key
        source = ""
        self.byteCount = byteCount
        self.modified = modified
        self.finishedAt = finishedAt
    }

    /// Whether the record can belong to a file of this size and time.
    package func fits(byteCount: Int64, modified: Int64) -> Bool {
        self.byteCount == byteCount && self.modified == modified
    }

    /// The URL, if none of it was hidden.
    var fetchableURL: URL? {
        guard !source.isEmpty, !source.contains("REDACTED") else { return nil }
        // A stored URL that is no longer valid cannot be fetched.
        return try? SourceURL.parse(source).url
    }
}
