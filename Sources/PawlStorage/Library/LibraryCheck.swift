internal import Glibc
package import PawlCore
package import SystemPackage

/// Whether a finished file is still what was fetched.
package struct LibraryCheck: Sendable {
    package enum Result: Sendable {
        case intact
        /// The bytes are the same, or their digest was not known: this is to be kept of it.
        case renewed(FileRecord, FileStamp)
        case fault(LibraryFault.Kind)
    }

    private let path: FilePath
    private let file: KnownFile

    package init(_ file: KnownFile, in folder: FilePath) {
        self.file = file
        path = folder.appending(FilePath(bytes: Array(file.name.utf8)).components)
    }

    /// By its size and the time of its last change; with `reads` by its digest, too.
    ///
    /// A copy that has the same of both is read in any case. `onPiece` is called before each piece, and
    /// ends it with what it throws.
    package func run(
        reads: Bool,
        onPiece: () throws(DownloadError) -> Void
    ) throws(DownloadError) -> Result {
        let status: FileStatus?
        do throws(Errno) { status = try path.status() } catch {
            return .fault(.unreadable(error.description))
        }
        guard let status, status.isRegular else { return .fault(.missing) }
        let record = file.record
        let fits = record.fits(byteCount: status.size, modified: status.modifiedNanoseconds)
        // One that only has another time may have the same bytes.
        guard fits || reads && status.size == record.byteCount && record.digest != nil else {
            return .fault(.changed)
        }
        let isSame = fits && record.inode.map { $0 == status.identity.inode } ?? true
        guard reads || !isSame else { return .intact }
        return try compare(status, isSame: isSame, onPiece)
    }

    private func compare(
        _ status: FileStatus,
        isSame: Bool,
        _ onPiece: () throws(DownloadError) -> Void
    ) throws(DownloadError) -> Result {
        let expected = file.record.digest
        let found: ContentDigest
        do throws(DownloadError) {
            let open = try attempt(.inspect, path) { () throws(Errno) in
                try OpenFile(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
            }
            found = try FileDigest.compute(expected?.algorithm ?? .sha256, of: open, path, onPiece)
        } catch  where error.code == .fileUnreadable {
            return .fault(.unreadable(error.message))
        }
        if let expected, found != expected {
            return .fault(.damaged(expected: expected, found: found))
        }
        if isSame, expected != nil { return .intact }
        var record = file.record
        record.digest = found
        record.modified = status.modifiedNanoseconds
        record.inode = status.identity.inode
        return .renewed(record, FileStamp(status))
    }
}
