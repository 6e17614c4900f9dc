internal import Glibc
package import PawlCore
internal import PawlStorage
package import SystemPackage

/// Checks whether a finished file is still as it was fetched.
package struct LibraryCheck: Sendable {
    package enum Result: Sendable {
        case intact
        /// The bytes are the same, or their digest was not known.
        ///
        /// The value contains the new record.
        case renewed(KnownFile)
        case missing
        /// The file differs from what was fetched.
        ///
        /// The stamp is that of the check.
        case fault(LibraryFault.Kind, FileStamp)
        /// The file was written to or replaced during the check, so there is no result.
        case unsettled
    }

    private let path: FilePath
    private let file: KnownFile

    package init(_ file: KnownFile, in folder: FilePath) {
        self.file = file
        path = folder.appending(FilePath(bytes: Array(file.name.text.utf8)).components)
    }

    /// Checks the size and the modification time and, if `reads` is set, the digest.
    ///
    /// A copy with the same size and time is read in any case. `onPiece` is called before each
    /// piece; an error that it throws ends the reading.
    package func run(
        reads: Bool,
        onPiece: () throws(DownloadError) -> Void
    ) throws(DownloadError) -> Result {
        let found: FileStatus?
        do throws(Errno) { found = try path.status() } catch {
            return .fault(.unreadable(error.description), file.stamp)
        }
        guard let status = found, status.isRegular else { return .missing }
        let record = file.record
        let fits = record.fits(byteCount: status.size, modified: status.modifiedNanoseconds)
        // A file that differs only in its time may have the same bytes.
        guard fits || reads && status.size == record.byteCount && record.digest != nil else {
            return .fault(.changed, FileStamp(status))
        }
        let isSame = fits && record.inode.map { $0 == status.identity.inode } ?? true
        guard reads || !isSame else { return .intact }
        return try compare(FileStamp(status), isSame: isSame, onPiece)
    }

    private func compare(
        _ stamp: FileStamp,
        isSame: Bool,
        _ onPiece: () throws(DownloadError) -> Void
    ) throws(DownloadError) -> Result {
        let expected = file.record.digest
        let digest: ContentDigest
        do throws(DownloadError) {
            let open = try attempt(.inspect, path) { () throws(Errno) in
                try OpenFile(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
            }
            digest = try FileDigest.compute(expected?.algorithm ?? .sha256, of: open, path, onPiece)
            let after = try attempt(.inspect, path) { () throws(Errno) in
                (try FileStamp(open.status()), try path.status().map { FileStamp($0) })
            }
            // The file that was read, and the one at the path afterwards, must be the one that was
            // checked.
            guard after == (stamp, stamp) else { return .unsettled }
        } catch  where error.code == .fileUnreadable {
            return .fault(.unreadable(error.message), stamp)
        }
        if let expected, digest != expected {
            return .fault(.damaged(expected: expected, found: digest), stamp)
        }
        if isSame, expected != nil, !file.isChanged { return .intact }
        var record = file.record
        record.digest = digest
        record.modified = stamp.modified
        record.inode = stamp.inode
        return .renewed(KnownFile(name: file.name, record: record, stamp: stamp))
    }
}
