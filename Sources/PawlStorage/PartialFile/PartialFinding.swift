internal import Glibc
package import PawlCore
internal import SystemPackage

/// What has the names of a partial file and its checkpoint, found without taking a lock.
package enum PartialFinding: Sendable {
    case nothing
    /// A file without a checkpoint: another tool's.
    case foreign
    /// A download of another user, who can change its bytes at any time.
    case ofAnotherUser
    /// A checkpoint that cannot be read.
    case unusable
    /// A valid checkpoint, whether or not a process uses it.
    case checkpoint(Checkpoint)

    /// Finds out what has the names.
    ///
    /// It takes no lock, so that no owner ever finds its file locked by a mere check.
    package init(_ paths: DownloadPaths) throws(DownloadError) {
        let checkpoint = try PartialRecovery.status(paths.checkpoint)
        let partial = try PartialRecovery.status(paths.partial)
        guard let status = checkpoint else {
            self = partial == nil ? .nothing : .foreign
            return
        }
        guard PartialRecovery.areOwn([status, partial], paths) else {
            self = .ofAnotherUser
            return
        }
        // A file that has gone or cannot be read is checked again when it is opened.
        guard status.isRegular,
            let file = try? OpenFile(paths.checkpoint, O_RDONLY | O_NOFOLLOW | O_NONBLOCK),
            let bytes = try? file.contents(limit: CheckpointImage.longest),
            case .sound(let checkpoint, _, _) = CheckpointImage(bytes)
        else {
            self = .unusable
            return
        }
        self = .checkpoint(checkpoint)
    }

    /// Returns the stamp of the partial file; `nil` if there is none.
    package static func stamp(of paths: DownloadPaths) throws(DownloadError) -> FileStamp? {
        try PartialRecovery.status(paths.partial).map { FileStamp($0) }
    }
}
