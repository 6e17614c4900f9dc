internal import Glibc
package import PawlCore
internal import SystemPackage

/// Moves partial files with their checkpoints.
package enum PartialRelocation {
    /// Moves a partial file and its checkpoint to the folder of its download, without replacing
    /// anything.
    ///
    /// If it is in that folder already, it keeps its name. `file` is the partial file with its
    /// lock. The returned file is a different one if it had to be copied from another file system.
    static func relocate(
        _ file: OpenFile,
        to target: RestoreTarget
    ) throws(DownloadError) -> (paths: DownloadPaths, file: OpenFile) {
        if let own = DownloadPaths(partialOrCheckpoint: target.partial),
            try FolderPreparation.isSame(own.folder, target.final.folder)
        {
            let paths = DownloadPaths(target.final, partial: own.final)
            if try isSame(paths.partial, target.partial) { return (paths, file) }
        }
        let found = try FreeName.search {
            (number) throws(DownloadError) -> (paths: DownloadPaths, file: OpenFile)? in
            let paths = DownloadPaths(target.final, partial: target.numbered(number))
            if try isSame(paths.partial, target.partial) { return (paths, file) }
            guard try PartialRecovery.status(paths.partial) == nil,
                try PartialRecovery.status(paths.checkpoint) == nil,
                let moved = try move(file, target, to: paths.partial)
            else { return nil }
            try moveCheckpoint(target, to: paths.checkpoint)
            return (paths, moved)
        }
        if let found { return found }
        throw DownloadError(
            .fileExists,
            "all names for a partial file beside \(target.final) are taken",
            advice: "remove the files that are no longer needed"
        )
    }

    /// Returns the path of the checkpoint beside the partial file, even if the partial file has an
    /// unusual ending.
    static func checkpointPath(of partial: FilePath) -> FilePath {
        DownloadPaths(partialOrCheckpoint: partial)?.checkpoint
            ?? partial.appending(suffix: ".pawl")
    }

    private static func isSame(
        _ one: FilePath,
        _ other: FilePath
    ) throws(DownloadError) -> Bool {
        if one == other { return true }
        guard let first = try PartialRecovery.status(one) else { return false }
        return try PartialRecovery.status(other)?.identity == first.identity
    }

    /// Returns `nil` if the name is taken.
    private static func move(
        _ file: OpenFile,
        _ target: RestoreTarget,
        to path: FilePath
    ) throws(DownloadError) -> OpenFile? {
        do throws(Errno) {
            try Renaming.withoutReplacing(target.partial, path)
            return file
        } catch .fileExists {
            return nil
        } catch .improperLink {
            guard try copy(target.partial, to: path, target) else { return nil }
            guard let copy = try FileLock.open(path) else { throw FileLock.taken(path) }
            return copy
        } catch {
            throw DownloadError(error, while: .rename, path)
        }
    }

    /// Moves the checkpoint, after the bytes.
    ///
    /// Without it, the resume data shows which bytes are valid.
    private static func moveCheckpoint(
        _ target: RestoreTarget,
        to path: FilePath
    ) throws(DownloadError) {
        try moveCheckpoint(of: target.partial, to: path, target)
    }

    /// Moves the checkpoint that stayed when somebody moved the partial file without it.
    static func moveLeftCheckpoint(to target: RestoreTarget) throws(DownloadError) {
        guard let former = target.former else { return }
        try moveCheckpoint(of: former, to: checkpointPath(of: target.partial), target)
    }

    private static func moveCheckpoint(
        of partial: FilePath,
        to path: FilePath,
        _ target: RestoreTarget
    ) throws(DownloadError) {
        let checkpoint = checkpointPath(of: partial)
        guard try PartialRecovery.status(checkpoint) != nil else { return }
        do throws(Errno) {
            try Renaming.withoutReplacing(checkpoint, path)
        } catch .improperLink {
            _ = try copy(checkpoint, to: path, target)
        } catch {
            throw DownloadError(error, while: .rename, path)
        }
    }

    /// Copies the file to another file system.
    ///
    /// The source is removed when the copy is durable.
    ///
    /// Returns `false` if the name is taken.
    private static func copy(
        _ source: FilePath,
        to path: FilePath,
        _ target: RestoreTarget
    ) throws(DownloadError) -> Bool {
        let move = FileMove(source, to: path, policy: .skip)
        let moved = try move.run(onPiece: target.onPiece)
        // A partial file whose old name remains would lose its checkpoint to the new one.
        if let problem = moved.problems.first { throw problem }
        return !moved.wasSkipped
    }

    // MARK: - To another name

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
        let partial = try FileLock.open(old.partial)
        let checkpoint = try FileLock.open(old.checkpoint)
        // A partial file without a checkpoint is another tool's.
        guard checkpoint != nil else { return }
        if partial != nil { try rename(old.partial, new.partial) }
        try rename(old.checkpoint, new.checkpoint)
        try attempt(.rename, new.checkpoint, new.folder.syncFolder())
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
