internal import Glibc
package import PawlCore
internal import SystemPackage

/// What has the names of a partial file and its checkpoint, seen without taking a lock.
package enum PartialFinding: Sendable {
    case nothing
    /// Something without a checkpoint: another tool's.
    case foreign
    /// A checkpoint that cannot be read.
    case unusable
    /// A sound checkpoint, whether or not somebody has it.
    case checkpoint(Checkpoint)

    /// Takes no lock, so that no owner ever finds its file locked by one who only looks.
    package init(_ paths: DownloadPaths) throws(DownloadError) {
        guard let status = try PartialStore.status(paths.checkpoint) else {
            self = try PartialStore.status(paths.partial) == nil ? .nothing : .foreign
            return
        }
        // What went away or may not be read is looked at again where it is opened.
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

    /// Of the partial file itself; nil where there is none.
    package static func stamp(of paths: DownloadPaths) throws(DownloadError) -> FileStamp? {
        try PartialStore.status(paths.partial).map { FileStamp($0) }
    }
}
