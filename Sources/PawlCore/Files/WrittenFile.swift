/// A file that a download has written, and how to recognize it.
package struct WrittenFile: Hashable, Sendable, Codable {
    package enum Kind: String, Hashable, Sendable, Codable {
        /// The finished file under its final name.
        case finished
        /// All bytes, but with a wrong digest.
        case corrupt
        /// The bytes so far, under a partial file's name.
        case partial
    }

    package var kind: Kind
    package var path: String
    /// The name, in the same folder, to which numbers are added if `path` is taken; `nil` if it is
    /// that of `path`.
    package var wantedName: String?
    package var stamp: FileStamp
    /// The mark in the checkpoint of a partial file, by which it is recognized after its numbers
    /// have changed; `nil` for other files, and in records of earlier versions.
    package var mark: String?

    package init(
        _ kind: Kind,
        at path: String,
        wantedName: String? = nil,
        _ stamp: FileStamp,
        mark: String? = nil
    ) {
        self.kind = kind
        self.path = path
        self.wantedName = wantedName
        self.stamp = stamp
        self.mark = mark
    }

    /// Whether both are the same file on disk, whatever it contains now.
    package func isSameFile(as other: WrittenFile) -> Bool { stamp.isSameFile(as: other.stamp) }
}

/// A callback that is called with a complete file before it gets its name.
///
/// The path is free as far as is known; the file may still get a numbered name. If the callback
/// throws, the file does not get its name.
package typealias FinishAnnouncement =
    @Sendable (WrittenFile) async throws(DownloadError) -> Void

/// A partial file with its checkpoint, as a download of a queue finds it on disk.
package struct FoundPartialFile: Sendable {
    package let stamp: FileStamp
    /// The mark in the checkpoint; `nil` in files of earlier versions.
    package let mark: String?

    package init(_ stamp: FileStamp, mark: String?) { (self.stamp, self.mark) = (stamp, mark) }
}

/// The owner of a partial file, as recorded by a queue.
package enum PartialFileOwner: Sendable {
    /// The download for which the owner is requested.
    case thisDownload
    /// A download that another owner has added, or one that the queue does not know and whose
    /// partial files this owner may not continue.
    case somebodyElse
    /// Another download of the same owner, or nobody in the queue.
    case anybody
}

/// A callback that returns the owner of a partial file from a queue.
///
/// It may block.
package typealias PartialFileQuestion = @Sendable (FoundPartialFile) -> PartialFileOwner
