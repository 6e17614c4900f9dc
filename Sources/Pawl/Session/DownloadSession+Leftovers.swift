internal import Glibc
package import PawlCore
internal import PawlEngine
internal import PawlStorage
internal import SystemPackage

/// What downloads left that run no more.
extension DownloadSession {
    /// Throws away the partial file of a download that was to become that file, and its checkpoint.
    ///
    /// - Throws: `.alreadyRunning` where somebody has them, and what the disk says.
    package func removeLeftover(of path: String) async throws(DownloadError) {
        let engine = engine
        try await engine.disk.run { () throws(DownloadError) in
            try Leftover.remove(DownloadPaths(FilePath(path)), engine)
        }
    }

    /// With what a download that is to become that file could be gone on; nil where that is nothing.
    package func resumeData(ofFile path: String, _ request: DownloadRequest) async -> ResumeData? {
        let settings = request.settings(in: configuration)
        // Only a pool that was shut down refuses.
        return try? await engine.disk.run {
            ResumeData(ofFile: FilePath(path), request.url, settings)
        }
    }

    /// Which bytes there are of a download that is to become that file, by its checkpoint; nil where it
    /// has none.
    package func writtenRanges(ofFile path: String) async -> [ByteRange]? {
        let partial = DownloadPaths(FilePath(path)).partial
        // What cannot be read says nothing; and only a pool that was shut down refuses.
        return try? await engine.disk.run { () throws(DownloadError) in
            try CheckpointFile.describe(partial).usable.ranges
        }
    }

    /// Removes a file that a download has written, where it is still that one.
    ///
    /// - Throws: `.conflict` where something else has its name, `.alreadyRunning` where somebody has it, and
    ///   what the disk says.
    package func remove(_ file: WrittenFile) async throws(DownloadError) {
        try await engine.disk.run { () throws(DownloadError) in try WrittenFiles.remove(file) }
    }

    /// Removes a finished file of which nothing is recorded but its size.
    ///
    /// - Throws: `.conflict` where nothing says that Pawl has written it.
    package func removeFile(at path: String, size: Int64) async throws(DownloadError) {
        try await engine.disk.run { () throws(DownloadError) in
            try WrittenFiles.removeMarked(FilePath(path), size: size)
        }
    }
}

extension DownloadTask {
    /// The file that it becomes, once that is known: by this name its partial file is found again.
    ///
    /// Where something else has the partial file's name, it differs by its number from that of the
    /// finished file.
    package var targetPath: String? { monitor.paths?.base.string }

    /// The partial file, once there is one.
    package var partialFile: WrittenFile? { monitor.partialFile }

    /// Waits until the task has ended, also where the one that waits was cancelled.
    package func waitForEndInAnyCase() async { await end.waitInAnyCase() }
}

/// Another name for what is not finished, or just was.
///
/// All of it blocks.
package enum LeftoverNames {
    /// What came of a download goes with it to another name in its folder.
    ///
    /// - Throws: `.fileExists` where that is taken, `.alreadyRunning` where somebody has it.
    /// What is at its new place already stays there.
    ///
    /// `partial`: the partial file, where that is known; else it has the usual name.
    package static func move(
        _ path: String,
        partial: String? = nil,
        to name: String
    ) throws(DownloadError) -> Moved {
        let old = FilePath(path)
        let new = old.removingLastComponent().appending(name)
        guard old != new else { return Moved(path: path, partial: partial) }
        let known = partial.flatMap { DownloadPaths(partialOrCheckpoint: FilePath($0)) }
        try PartialStore.move(known ?? DownloadPaths(old), to: DownloadPaths(new))
        return Moved(path: new.string, partial: DownloadPaths(new).partial.string)
    }

    /// Whether there is such a folder to look into.
    package static func isFolder(_ path: String) -> Bool {
        WrittenFiles.isFolder(path)
    }

    /// Where it is now.
    package struct Moved: Sendable {
        package var path: String
        package var partial: String?
    }

    /// A finished file is called otherwise; replaces nothing.
    package static func rename(_ path: String, to name: String) throws(DownloadError) -> String {
        let old = FilePath(path)
        let new = old.removingLastComponent().appending(name)
        guard old != new else { return path }
        do throws(Errno) {
            try Renaming.withoutReplacing(old, new)
            return new.string
        } catch {
            throw DownloadError(
                .renameFailed,
                "the file cannot be called \(name.sanitized): \(error)",
                context: "renaming \(path)"
            )
        }
    }

    /// Where a complete file is that was to get its name; nil where none of the names is its.
    ///
    /// `others`: names in its folder that it may have, too.
    package static func find(_ file: WrittenFile, or others: [String] = []) -> String? {
        WrittenFiles.find(file, or: others)
    }

    /// Removes the checkpoints that a complete file has left behind.
    package static func removeCheckpoints(
        of file: WrittenFile,
        partial: [String]
    ) throws(DownloadError) {
        try WrittenFiles.removeCheckpoints(of: file, partial: partial)
    }

    /// Removes what is left of a complete file that did not get its name.
    package static func removeDrafts(of file: WrittenFile) { WrittenFiles.removeDrafts(of: file) }

    /// Whether there is anything of that name.
    package static func isThere(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// The error of a file that stays as it is not the download's.
    package static func another(_ path: String) -> DownloadError {
        WrittenFiles.another(FilePath(path))
    }

    /// Whether something is in the way of a download of that name in the folder of another.
    ///
    /// `place`: a file, or a folder with a slash at its end. `replaces`: its finished file may be there.
    package static func isTaken(_ name: String, beside place: String, replaces: Bool) -> Bool {
        let folder =
            place.hasSuffix("/") ? FilePath(place) : FilePath(place).removingLastComponent()
        let paths = DownloadPaths(folder.appending(name))
        let own = replaces ? [] : [paths.final]
        return (own + [paths.partial, paths.checkpoint]).contains { path in
            // What cannot be looked at will tell when it is needed.
            access(path.string, F_OK) == 0
        }
    }
}
