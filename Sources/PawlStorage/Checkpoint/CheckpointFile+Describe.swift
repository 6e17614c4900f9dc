internal import Glibc
package import PawlCore
package import SystemPackage

/// What a checkpoint says, and what a resume would make of it.
package struct CheckpointSummary: Sendable {
    package let paths: DownloadPaths
    package let checkpoint: Checkpoint
    /// Whether `written` counts.
    package let isOfThisBoot: Bool
    /// What is proven by the partial file; empty where that is missing.
    package let usable: RangeSet
}

extension CheckpointFile {
    /// Reads without a lock, so also while a download runs.
    ///
    /// Takes either of the two files' names; throws `.fileUnreadable`.
    package static func describe(
        _ path: FilePath,
        boot: BootIdentity = .current
    ) throws(DownloadError) -> CheckpointSummary {
        guard let paths = DownloadPaths(partialOrCheckpoint: path) else {
            throw unreadable(path, "\(path) is neither a partial file nor a checkpoint")
        }
        let bytes: [UInt8]
        do throws(Errno) {
            bytes = try OpenFile(paths.checkpoint, O_RDONLY | O_NONBLOCK)
                .contents(limit: CheckpointImage.longest)
        } catch .noSuchFileOrDirectory {
            throw unreadable(path, "there is no checkpoint \(paths.checkpoint)")
        } catch {
            throw DownloadError(error, while: .inspect, paths.checkpoint)
        }
        switch CheckpointImage(bytes) {
        case .unusable(let flaw):
            throw unreadable(path, "the checkpoint \(paths.checkpoint) \(flaw.sentence)")
        case .sound(let checkpoint, _, _):
            // A partial file that is missing or may not be read proves nothing.
            let partial = try? OpenFile(paths.partial, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
            let check = partial.map { TailCheck(checkpoint, in: $0, boot: boot) }
            return CheckpointSummary(
                paths: paths,
                checkpoint: checkpoint,
                isOfThisBoot: boot.isSame(as: checkpoint.bootIdentity),
                usable: check?.usable ?? RangeSet()
            )
        }
    }

    /// How many bytes a checkpoint says that there are, and how many there will be; nil where there is no
    /// sound one.
    ///
    /// The partial file is not looked at.
    package static func glance(at final: FilePath) -> (bytes: Int64, total: Int64?)? {
        let path = DownloadPaths(final).checkpoint
        // Without one that can be read nothing is known.
        guard let file = try? OpenFile(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK),
            let bytes = try? file.contents(limit: CheckpointImage.longest),
            case .sound(let checkpoint, _, _) = CheckpointImage(bytes)
        else { return nil }
        let count = max(checkpoint.written.count, checkpoint.durable.count)
        return (count, checkpoint.representation.total)
    }

    private static func unreadable(_ path: FilePath, _ message: String) -> DownloadError {
        DownloadError(
            .fileUnreadable,
            message,
            advice: "give the name of a partial file (NAME.part) that Pawl began",
            context: DiskAction.inspect.text(path)
        )
    }
}
