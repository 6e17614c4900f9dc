extension FileRecord {
    /// JSON in one line, its keys in order: the same record is the same text.
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

    /// Reads what `text` writes, nil for anything else and for a newer version.
    package init?(text: String) {
        // What is no record is not worth an error: the file is then one without.
        guard
            let stored = KeptLine<StoredRecord>(text: text, longest: Self.longestText)?.content,
            stored.bytes >= 0
        else { return nil }
        key = StorageKey(stored.key)
        // Others can write to the file: what they put there is not shown either.
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
