internal import Glibc
package import PawlCore
internal import SystemPackage

/// A download that is to become another file in the same file system.
extension PartialStore {
    /// Gives what an earlier run left the names of another download; replaces nothing, and where
    /// nothing was left does nothing.
    ///
    /// One that was broken off between the two files goes on when it is asked again.
    ///
    /// - Throws: `.alreadyRunning` where another process has it, `.fileExists` where a name is taken.
    package static func move(
        _ old: DownloadPaths,
        to new: DownloadPaths
    ) throws(DownloadError) {
        let partial = try openLocked(old.partial)
        let checkpoint = try openLocked(old.checkpoint)
        // A partial file alone is another tool's.
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
                "\(to) is there already",
                advice: "choose another name",
                context: DiskAction.rename.text(from)
            )
        } catch {
            throw DownloadError(error, while: .rename, from)
        }
    }
}
