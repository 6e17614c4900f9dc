internal import Glibc
package import PawlCore
package import SystemPackage

/// Finds and removes files that a download has written, and no others.
///
/// All of it blocks.
package enum WrittenFiles {
    /// More numbered names of one file are not looked at.
    private static let mostNumbers = 1000

    /// Where a complete file is that was to get its name; nil where none of the names is its.
    ///
    /// `others`: names in its folder that it may have, too.
    package static func find(_ file: WrittenFile, or others: [String] = []) -> String? {
        let path = FilePath(file.path)
        let folder = path.removingLastComponent()
        let wanted = file.wantedName.map { names(of: folder.appending($0), file.kind) } ?? []
        let all = others.map { folder.appending($0) } + names(of: path, file.kind) + wanted
        return all.first { isThere(file, at: $0) }?.string
    }

    /// Whether there is such a folder to look into.
    package static func isFolder(_ path: String) -> Bool {
        (try? FilePath(path).status())?.isDirectory == true
    }

    /// The names that a file of that kind may have got, as far as they are taken.
    private static func names(of path: FilePath, _ kind: WrittenFile.Kind) -> [FilePath] {
        let paths = DownloadPaths(path)
        var names: [FilePath] = []
        var misses = 0
        for number in 0..<mostNumbers where misses < 10 {
            let name =
                switch kind {
                case .corrupt: paths.corrupt(number)
                case .finished, .partial: numbered(path, number)
                }
            names.append(name)
            // A lower number may have become free since.
            if (try? name.status()) == nil { misses += 1 }
        }
        return names
    }

    private static func numbered(_ path: FilePath, _ number: Int) -> FilePath {
        guard number > 0, let name = path.lastComponent?.string else { return path }
        return path.removingLastComponent().appending(FileName.numbered(name, number))
    }

    /// What cannot be looked at is not known to be it.
    private static func isThere(_ file: WrittenFile, at path: FilePath) -> Bool {
        guard let status = try? path.status(), status.isRegular else { return false }
        return FileStamp(status) == file.stamp
    }

    // MARK: - Removing

    /// Removes a file where it is still the one that was written; one that is gone is no error.
    ///
    /// Of a partial file the bytes do not count: they change while it grows. Its checkpoint goes with it.
    ///
    /// - Throws: `.conflict` where something else has the name of a finished file, `.alreadyRunning` where
    ///   somebody has the partial file, and what the disk says.
    package static func remove(_ file: WrittenFile) throws(DownloadError) {
        let path = FilePath(file.path)
        guard file.kind != .partial else { return try removePartial(file, path) }
        let status = try attempt(.remove, path) { () throws(Errno) in try path.status() }
        guard let status else { return }
        guard status.isRegular, FileStamp(status) == file.stamp else { throw another(path) }
        try unlink(path)
    }

    /// Removes the checkpoints that a complete file has left behind, whose partial file has its name now.
    ///
    /// `partial`: where that was, besides the usual place.
    package static func removeCheckpoints(
        of file: WrittenFile,
        partial: [String]
    ) throws(DownloadError) {
        let usual = DownloadPaths(FilePath(file.path)).partial
        for path in partial.map({ FilePath($0) }) + [usual] {
            let status = try attempt(.remove, path) { () throws(Errno) in try path.status() }
            if status == nil { try removeAbandoned(path.appending(suffix: ".pawl")) }
        }
    }

    /// Removes what is left of a name that a file was to replace in one step.
    package static func removeDrafts(of file: WrittenFile) {
        let partial = DownloadPaths(FilePath(file.path)).partial
        for number in 1..<mostNumbers {
            let draft = partial.appending(suffix: ".\(number)")
            // What cannot be looked at is none of it.
            guard let status = try? draft.status() else { return }
            if FileStamp(status) == file.stamp { try? draft.removeFile() }
        }
    }

    /// Removes a finished file of which nothing is recorded but its size, where the mark that Pawl leaves
    /// on a file says that it is unchanged.
    ///
    /// - Throws: `.conflict` where it does not say so.
    package static func removeMarked(_ path: FilePath, size: Int64) throws(DownloadError) {
        let status = try attempt(.remove, path) { () throws(Errno) in try path.status() }
        guard let status else { return }
        guard status.isRegular, RepresentationMark.found(on: path)?.total == size else {
            throw another(path)
        }
        try unlink(path)
    }

    /// The error of a file that stays as it is not the download's.
    package static func another(_ path: FilePath) -> DownloadError {
        DownloadError(
            .conflict,
            "\(path) is not the downloaded file and was not removed",
            advice: "it existed before the download, or was changed since; remove it yourself "
                + "if you want to",
            context: DiskAction.remove.text(path)
        )
    }

    private static func unlink(_ path: FilePath) throws(DownloadError) {
        do throws(Errno) {
            try path.removeFile()
        } catch .noSuchFileOrDirectory {
            return
        } catch {
            throw DownloadError(error, while: .remove, path)
        }
    }

    // MARK: - Partial files

    /// It may have been set aside since, under a number.
    private static func removePartial(
        _ file: WrittenFile,
        _ path: FilePath
    ) throws(DownloadError) {
        let checkpoint = path.appending(suffix: ".pawl")
        let status = try attempt(.remove, path) { () throws(Errno) in try path.status() }
        if let status, FileStamp(status).isSameFile(as: file.stamp) {
            return try remove(path, checkpoint)
        }
        // A removal that was cut off left it behind.
        if status == nil { try removeAbandoned(checkpoint) }
        for number in 1..<mostNumbers {
            let aside = path.appending(suffix: ".\(number)")
            let status = try attempt(.remove, aside) { () throws(Errno) in try aside.status() }
            guard let status else { return }
            guard FileStamp(status).isSameFile(as: file.stamp) else { continue }
            return try remove(aside, checkpoint.appending(suffix: ".\(number)"))
        }
    }

    /// In this order: a partial file without a checkpoint would look like another tool's.
    private static func remove(
        _ partial: FilePath,
        _ checkpoint: FilePath
    ) throws(DownloadError) {
        let lock = try PartialStore.openLocked(partial)
        let checkpointLock = try PartialStore.openLocked(checkpoint)
        try unlink(partial)
        if checkpointLock != nil { try unlink(checkpoint) }
        try unlink(CheckpointFile.draft(of: checkpoint))
        withExtendedLifetime((lock, checkpointLock)) {}
    }

    /// Removes a checkpoint whose partial file is gone.
    private static func removeAbandoned(_ checkpoint: FilePath) throws(DownloadError) {
        guard let file = try PartialStore.openLocked(checkpoint) else { return }
        let bytes = try attempt(.inspect, checkpoint) { () throws(Errno) in
            try file.contents(limit: CheckpointImage.longest)
        }
        guard case .sound = CheckpointImage(bytes) else { return }
        try unlink(checkpoint)
    }
}

extension PartialStore {
    /// What tells the partial file from others, whatever it is called.
    package func stamp() throws(DownloadError) -> FileStamp {
        try attempt(.inspect, paths.partial) { () throws(Errno) in FileStamp(try file.status()) }
    }
}

extension CompleteFile {
    /// Before it has its name; it stays the same when it gets it.
    package func stamp() throws(DownloadError) -> FileStamp { try store.stamp() }

    /// Where it belongs, if that is free.
    package var path: String { store.paths.final.string }

    /// As it is written down before it gets its name.
    package func announced(_ stamp: FileStamp) -> WrittenFile {
        let paths = store.paths
        let wanted = paths.wanted == paths.final ? nil : paths.wanted.lastComponent?.string
        return WrittenFile(.finished, at: path, wantedName: wanted, stamp)
    }

    /// Throws away a file that is not to get its name.
    package func discard() throws(DownloadError) { try store.discard() }
}
