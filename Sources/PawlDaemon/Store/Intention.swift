package import PawlCore

/// A file operation that is to be carried out.
///
/// It is written with the change that causes it, carried out after the commit, and then deleted.
/// The operations that are left at a start are carried out then. A requested renaming works the
/// same way; it is in the table `renaming`.
package struct Intention: Sendable, Hashable {
    package enum Operation: Sendable, Hashable {
        /// A complete file gets its name.
        case finish(WrittenFile)
        /// Files are removed.
        case remove(Removal)
        /// A complete file that has its name is moved to a folder.
        ///
        /// `copy`: the stamp of its copy on another file system, as soon as that is complete.
        case move(WrittenFile, to: String, copy: FileStamp?)
    }

    package var id: Int64
    package var download: Int64
    package var operation: Operation
    /// The folder that no file of the download may leave; `nil` if it is not confined.
    package var root: String?
}

/// A move of a complete file to another folder, which a rule asks for.
package struct MoveJob: Sendable, Hashable {
    package var download: Int64
    /// The file before the move.
    package var file: WrittenFile
    /// The folder, with a slash at its end.
    package var folder: String
    /// The folder that the download must not leave; `nil` if it is not confined.
    ///
    /// The move may leave it, because only the user makes rules.
    package var root: String?
    /// The stamp of the copy that an earlier daemon has made; `nil` if it has made none.
    package var copy: FileStamp?

    package init(download: Int64, file: WrittenFile, folder: String, root: String?) {
        (self.download, self.file, self.folder, self.root) = (download, file, folder, root)
    }
}

/// The files of a download to be removed.
package struct Removal: Codable, Sendable, Hashable {
    package var files: [WrittenFile]
    /// The file of a download that an earlier version has not recorded.
    package var unrecorded: Unrecorded?
    /// The path of a file that existed before the download: it is not removed, and the outcome
    /// names it.
    package var kept: String?

    package struct Unrecorded: Codable, Sendable, Hashable {
        package var path: String
        /// The size of the finished file; `nil` for the partial file of an unfinished download.
        package var size: Int64?
    }

    package init(_ files: [WrittenFile] = []) { self.files = files }

    /// Creates the removal of a download that has become an object, which is never removed.
    package init(objectKept url: String?) { (files, kept) = ([], url) }

    package var isEmpty: Bool { files.isEmpty && unrecorded == nil && kept == nil }
}
