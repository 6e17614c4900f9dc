internal import Glibc
package import PawlCore
package import SystemPackage

/// The content of a checkpoint, and what a resume would use of it.
package struct CheckpointSummary: Sendable {
    package let paths: DownloadPaths
    package let checkpoint: Checkpoint
    /// Whether the checkpoint was written in this boot, so that `written` counts.
    package let isOfThisBoot: Bool
    /// The ranges proven by the partial file; empty if the partial file is missing.
    package let usable: RangeSet

    /// Reads a checkpoint without a lock, so it can be read while a download runs.
    ///
    /// It accepts the name of either file. Throws `.fileUnreadable`.
    package static func read(
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
            // A partial file that is missing or cannot be read proves nothing.
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

    /// Returns how many bytes a checkpoint claims, and the total; `nil` if there is no valid
    /// checkpoint.
    ///
    /// The partial file is not read.
    package static func byteCounts(at final: FilePath) -> (bytes: Int64, total: Int64?)? {
        let path = DownloadPaths(final).checkpoint
        // Without a readable checkpoint nothing is known.
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
            advice: "give the name of a partial file (NAME.part) that Pawl created",
            context: DiskAction.inspect.text(path)
        )
    }
}
