internal import Glibc
package import PawlCore
package import SystemPackage

/// Whether a finished file is still what was fetched.
package struct LibraryCheck: Sendable {
    package enum Result: Sendable {
        case intact
        /// The bytes are the same, or their digest was not known: this is to be kept of it.
        case renewed(KnownFile)
        case missing
        /// What is there is not what was fetched; its status as it was looked at.
        case fault(LibraryFault.Kind, FileStamp)
        /// It was written to, or replaced, while it was looked at: nothing can be said of it.
        case unsettled
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
        let found: FileStatus?
        do throws(Errno) { found = try path.status() } catch {
            return .fault(.unreadable(error.description), file.stamp)
        }
        guard let status = found, status.isRegular else { return .missing }
        let record = file.record
        let fits = record.fits(byteCount: status.size, modified: status.modifiedNanoseconds)
        // One that only has another time may have the same bytes.
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
            // What was read, and what is there by then, must be what was looked at.
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
