package import PawlCore

/// Something that is to be done on the disk.
///
/// It is written with the change that it follows from, carried out after the commit, and then deleted;
/// what is left at a start is carried out then. A new name that was asked for is one, too: the table
/// `renaming` has it.
package struct Intention: Sendable, Hashable {
    package enum Deed: Sendable, Hashable {
        /// A complete file gets its name.
        case finish(WrittenFile)
        /// Files go.
        case remove(Removal)
    }

    package var id: Int64
    package var download: Int64
    package var deed: Deed
    /// The folder that nothing of the download may leave; nil is anywhere.
    package var root: String?
}

/// Which files of a download go.
package struct Removal: Codable, Sendable, Hashable {
    package var files: [WrittenFile]
    /// A download of an earlier version, whose files are not recorded.
    package var unrecorded: Unrecorded?
    /// A file that was there before the download: it stays, and that is said.
    package var kept: String?

    package struct Unrecorded: Codable, Sendable, Hashable {
        package var path: String
        /// Of the finished file; nil is what came of one that is not finished.
        package var size: Int64?
    }

    package init(_ files: [WrittenFile] = []) { self.files = files }

    package var isEmpty: Bool { files.isEmpty && unrecorded == nil && kept == nil }
}
