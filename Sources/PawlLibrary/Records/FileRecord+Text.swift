internal import PawlCore

extension FileRecord {
    /// The record as one line of JSON with sorted keys: equal records give equal texts.
    package var text: String {
        KeptLine(
            StoredRecord(
                key: key.text,
                source: source,
                bytes: byteCount,
                modified: modified,
                inode: inode,
                finished: finishedAt,
                digest: digest?.description,
                etag: entityTag?.description,
                lastModified: lastModified,
                mediaType: mediaType
            )
        ).text
    }

    /// Parses the output of `text`; `nil` for anything else and for a newer version.
    package init?(text: String) {
        // An invalid record is not an error: the file then counts as having none.
        guard
            let stored = KeptLine<StoredRecord>(text: text, longest: Self.longestText)?.content,
            stored.bytes >= 0
        else { return nil }
        key = StorageKey(stored.key)
        // Others can write to the file, so the secrets in their text must be hidden, too.
        source = AddressParts(stored.source).redacted
        byteCount = stored.bytes
        modified = stored.modified
        inode = stored.inode
        finishedAt = stored.finished
        digest = stored.digest.flatMap(ContentDigest.init(parsing:))
        entityTag = stored.etag.flatMap(EntityTag.init(lenient:))
        lastModified = stored.lastModified?.sanitized
        mediaType = stored.mediaType?.sanitized
    }
}

private struct StoredRecord: Codable {
    var key: String
    var source: String
    var bytes: Int64
    var modified: Int64
    var inode: UInt64?
    var finished: Int64
    var digest: String?
    var etag: String?
    var lastModified: String?
    var mediaType: String?
}
