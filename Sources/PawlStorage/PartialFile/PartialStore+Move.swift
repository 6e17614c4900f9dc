internal import Glibc
package import PawlCore
internal import SystemPackage

/// Moving a download to another name in the same file system.
extension PartialStore {
    /// Gives the files of an earlier run the names of another download.
    ///
    /// It replaces nothing; if there are no files, it does nothing.
    ///
    /// If it was interrupted between the two files, the next call completes it.
    ///
    /// - Throws: `.alreadyRunning` if another process uses the files, `.fileExists` if a name is
    ///   taken.
    package static func move(
        _ old: DownloadPaths,
        to new: DownloadPaths
    ) throws(DownloadError) {
        let partial = try openLocked(old.partial)
        let checkpoint = try openLocked(old.checkpoint)
        // A partial file without a checkpoint is another tool's.
        guard checkpoint != nil else { return }
        if partial != nil { try rename(old.partial, new.partial) }
        try rename(old.checkpoint, new.checkpoint)
        try attempt(.rename, new.checkpoint) { () throws(Errno) in
            try new.folder.syncFolder()
        }
        withExtendedLifetime((partial, checkpoint)) {}
    }

    private static func rename(_ from: FilePath, _ to: FilePath) throws(DownloadError) {
        do throws(Errno) {
            try Renaming.withoutReplacing(from, to)
        } catch .fileExists {
            throw DownloadError(
                .fileExists,
                "\(to) already exists",
                advice: "choose another name",
                context: DiskAction.rename.text(from)
            )
        } catch {
            throw DownloadError(error, while: .rename, from)
        }
    }
}
