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

    /// Removes a finished file; one that is gone already is no error.
    package func removeFile(at path: String) async throws(DownloadError) {
        try await engine.disk.run { () throws(DownloadError) in
            guard unlink(path) != 0, errno != ENOENT else { return }
            throw DownloadError(
                .diskFailure,
                "\(path) cannot be removed: \(String(cString: strerror(errno)))",
                advice: "look at the rights of its folder"
            )
        }
    }
}

extension DownloadTask {
    /// The file that it becomes, once that is known: by this name its partial file is found again.
    ///
    /// Where something else has the partial file's name, it differs by its number from that of the
    /// finished file.
    package var targetPath: String? { monitor.paths?.base.string }

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
    package static func move(_ path: String, to name: String) throws(DownloadError) -> String {
        let old = FilePath(path)
        let new = old.removingLastComponent().appending(name)
        guard old != new else { return path }
        try PartialStore.move(DownloadPaths(old), to: DownloadPaths(new))
        return new.string
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
