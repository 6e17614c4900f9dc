/// A file that a download has written, and how to know it again.
package struct WrittenFile: Hashable, Sendable, Codable {
    package enum Kind: String, Hashable, Sendable, Codable {
        /// The file, under its final name.
        case finished
        /// All bytes, whose digest is wrong.
        case corrupt
        /// The bytes so far, under a partial file's name.
        case partial
    }

    package var kind: Kind
    package var path: String
    /// The name, in the same folder, from which numbers are counted where `path` is taken; nil if it is
    /// that of `path`.
    package var wantedName: String?
    package var stamp: FileStamp

    package init(
        _ kind: Kind,
        at path: String,
        wantedName: String? = nil,
        _ stamp: FileStamp
    ) {
        self.kind = kind
        self.path = path
        self.wantedName = wantedName
        self.stamp = stamp
    }

    /// Whether both are the same file on the disk, whatever it holds by now.
    package func isSameFile(as other: WrittenFile) -> Bool { stamp.isSameFile(as: other.stamp) }
}

/// Called with a complete file before it gets its name.
///
/// The path of the notice is the one that is free as far as is known: the file may get a numbered one.
/// A file that is not to get its name is refused by throwing.
package typealias FinishAnnouncement =
    @Sendable (WrittenFile) async throws(DownloadError) -> Void

/// Whose a partial file is, by what a queue has recorded.
package enum PartialFileOwner: Sendable {
    /// The download's that asks.
    case thisDownload
    /// A download's that somebody else has added.
    case somebodyElse
    /// Nobody's of the queue, or another download's of the same owner.
    case anybody
}

/// Asks a queue about a partial file; it may block.
package typealias PartialFileQuestion = @Sendable (FileStamp) -> PartialFileOwner

extension FileStamp {
    /// Whether both are of one file on the disk, whatever it holds by now.
    package func isSameFile(as other: FileStamp) -> Bool {
        device == other.device && inode == other.inode
    }
}

extension FileStamp: Codable {
    private enum CodingKeys: String, CodingKey {
        case device, inode, size, modified
    }

    /// Reads what `encode(to:)` writes.
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            device: try values.decode(UInt64.self, forKey: .device),
            inode: try values.decode(UInt64.self, forKey: .inode),
            size: try values.decode(Int64.self, forKey: .size),
            modified: try values.decode(Int64.self, forKey: .modified)
        )
    }

    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(device, forKey: .device)
        try values.encode(inode, forKey: .inode)
        try values.encode(size, forKey: .size)
        try values.encode(modified, forKey: .modified)
    }
}
