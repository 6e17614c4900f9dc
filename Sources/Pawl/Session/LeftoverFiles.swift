package import struct FoundationEssentials.URL
internal import Glibc
package import PawlCore
internal import PawlEngine
internal import PawlStorage
internal import SystemPackage

/// The files of downloads that do not run: unfinished, or just finished.
///
/// The static functions block.
package struct LeftoverFiles: Sendable {
    private let session: DownloadSession

    init(_ session: DownloadSession) { self.session = session }

    // MARK: - Reading and removing

    /// Deletes the partial file and the checkpoint of a download to the given file.
    ///
    /// - Throws: `.alreadyRunning` if another process uses them, and errors of the file system.
    package func removePartial(of path: String) async throws(DownloadError) {
        let engine = session.engine
        try await engine.disk.run { () throws(DownloadError) in
            try Leftover.remove(DownloadPaths(FilePath(path)), engine)
        }
    }

    /// Returns the data with which a download to the given file could be resumed; `nil` if they
    /// do not exist.
    package func resumeData(ofFile path: String, _ request: DownloadRequest) async -> ResumeData? {
        let settings = request.settings(in: session.configuration)
        // This fails only if the pool was shut down.
        return try? await session.engine.disk.run {
            ResumeData(ofFile: FilePath(path), request.url, settings)
        }
    }

    /// Returns the ranges that a download to the given file has written, according to its
    /// checkpoint; `nil` if it has none.
    package func writtenRanges(ofFile path: String) async -> [ByteRange]? {
        let partial = DownloadPaths(FilePath(path)).partial
        // A checkpoint that cannot be read counts as missing. Otherwise this fails only if the pool
        // was shut down.
        return try? await session.engine.disk.run { () throws(DownloadError) in
            try CheckpointSummary.read(partial).usable.ranges
        }
    }

    /// Removes a file that a download has written, if it is still the same file.
    ///
    /// - Throws: `.conflict` if another file has its name, `.alreadyRunning` if another process
    ///   uses it, and errors of the file system.
    package func remove(_ file: WrittenFile) async throws(DownloadError) {
        try await session.engine.disk.run { () throws(DownloadError) in
            try WrittenFiles.remove(file)
        }
    }

    /// Removes a finished file of which only the size is recorded.
    ///
    /// - Throws: `.conflict` if nothing proves that Pawl has written it.
    package func removeFile(at path: String, size: Int64) async throws(DownloadError) {
        try await session.engine.disk.run { () throws(DownloadError) in
            try WrittenFiles.removeMarked(FilePath(path), size: size)
        }
    }

    /// Whether Pawl has fetched a file from one of these URLs, and nobody has changed it since.
    package func isOwn(_ path: String, of urls: [URL]) async -> Bool {
        // This fails only if the pool was shut down.
        let isOwn = try? await session.engine.disk.run { () throws(DownloadError) in
            RepresentationMark.isUnchanged(FilePath(path), of: urls)
        }
        return isOwn ?? false
    }

    /// Moves a finished file into a folder, which is created if it is missing, even to another
    /// file system.
    ///
    /// It replaces no file: if its name is taken, a number is added.
    ///
    /// `urls`: if another process has moved the same file of one of these URLs into the folder, this
    /// one is removed, and the other one is returned, which no process removes. `willNameCopy` is
    /// called with the stamp of a copy before the copy gets its name.
    ///
    /// - Throws: errors of the file system and of `willNameCopy`; the file then stays where it is.
    package func move(
        _ path: String,
        into folder: String,
        removingDuplicateOf urls: [URL] = [],
        willNameCopy: @escaping @Sendable (FileStamp) throws(DownloadError) -> Void = {
            _ throws(DownloadError) in
        }
    ) async throws(DownloadError) -> Relocation {
        try await session.engine.disk.run { () throws(DownloadError) in
            let source = FilePath(path)
            let target = FilePath(folder).appending(String(path.pathFile))
            var move = FileMove(source, to: target, policy: .rename)
            move.sharedURLs = urls
            let moved = try move.run(willNameCopy: willNameCopy)
            return Relocation(
                file: WrittenFile(.finished, at: moved.path.string, moved.stamp),
                problems: moved.problems
            )
        }
    }

    /// Returns the path of a file of this size that another process has moved into a folder, with or
    /// without a number, after Pawl has fetched it from one of these URLs; `nil` if it is not there.
    package func findMoved(
        _ path: String,
        into folder: String,
        size: Int64,
        of urls: [URL]
    ) async -> String? {
        // This fails only if the pool was shut down.
        let found = try? await session.engine.disk.run { () throws(DownloadError) in
            let target = FilePath(folder).appending(String(path.pathFile))
            return MovedNames(target).find(size: size, of: urls)?.string
        }
        return found ?? nil
    }

    /// A finished file that was moved into a folder.
    package struct Relocation: Sendable {
        package var file: WrittenFile
        /// What failed after the file had its new name, for example the removal of the old one.
        package var problems: [DownloadError]
    }

    /// Returns a file that was moved into a folder; `nil` if it is not there.
    ///
    /// `copy`: the stamp of its copy, if there is one. `others`: further possible names. `isForeign`:
    /// whether a file belongs to another download.
    package static func findMoved(
        _ file: WrittenFile,
        copy: FileStamp?,
        in folder: String,
        or others: [String],
        isForeign: (FileStamp) -> Bool
    ) -> WrittenFile? {
        WrittenFiles.findMoved(
            file,
            copy: copy,
            in: FilePath(folder),
            or: others,
            isForeign: isForeign
        )
    }

    /// Makes the names in the folder of a file durable; returns whether that succeeded.
    package static func syncFolder(of path: String) -> Bool {
        WrittenFiles.syncFolder(FilePath(path).removingLastComponent())
    }

    // MARK: - Names

    /// Moves the files of a download to another name in the same folder.
    ///
    /// - Throws: `.fileExists` if the name is taken, `.alreadyRunning` if another process uses
    ///   them. Files that are already at the new name stay there.
    ///
    /// `partial` is the partial file if it is known; otherwise it has the usual name.
    package static func move(
        _ path: String,
        partial: String? = nil,
        to name: String
    ) throws(DownloadError) -> Moved {
        let old = FilePath(path)
        let new = old.removingLastComponent().appending(name)
        guard old != new else { return Moved(path: path, partial: partial) }
        let known = partial.flatMap { DownloadPaths(partialOrCheckpoint: FilePath($0)) }
        try PartialRelocation.move(known ?? DownloadPaths(old), to: DownloadPaths(new))
        return Moved(path: new.string, partial: DownloadPaths(new).partial.string)
    }

    /// Whether the path is a folder that can be read.
    package static func isFolder(_ path: String) -> Bool {
        WrittenFiles.isFolder(path)
    }

    /// The new location.
    package struct Moved: Sendable {
        package var path: String
        package var partial: String?
    }

    /// Renames a finished file.
    ///
    /// It replaces nothing.
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
                "cannot rename the file to \(name.sanitized): \(error)",
                context: "renaming \(path)"
            )
        }
    }

    /// Returns the path of a complete file that was about to get its name; `nil` if it has none of
    /// the names.
    ///
    /// `others` are further possible names in its folder.
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

    /// Removes the leftovers of a complete file that did not get its name.
    package static func removeDrafts(of file: WrittenFile) { WrittenFiles.removeDrafts(of: file) }

    /// Whether there is anything of that name.
    package static func isThere(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Returns the error for a file that is kept because it is not the download's.
    package static func another(_ path: String) -> DownloadError {
        WrittenFiles.another(FilePath(path))
    }

    /// Whether the name is taken for a download in the folder of another file.
    ///
    /// `path` is a file, or a folder with a trailing slash. `replaces`: whether an existing
    /// finished file is allowed.
    package static func isTaken(_ name: String, beside path: String, replaces: Bool) -> Bool {
        let folder =
            path.isFolderPath ? FilePath(path) : FilePath(path).removingLastComponent()
        let paths = DownloadPaths(folder.appending(name))
        let own = replaces ? [] : [paths.final]
        return (own + [paths.partial, paths.checkpoint]).contains { path in
            // A name that cannot be checked causes an error when it is needed.
            access(path.string, F_OK) == 0
        }
    }
}
