internal import Glibc
package import PawlCore
package import SystemPackage

/// Finds and removes files that a download has written, and no others.
///
/// All calls block.
package enum WrittenFiles {
    /// The maximum number of numbered names of one file that are checked.
    private static let mostNumbers = 1000

    /// Returns the path of a complete file that was about to get its name; `nil` if it has none of
    /// the names.
    ///
    /// `others` are further possible names in its folder.
    package static func find(_ file: WrittenFile, or others: [String] = []) -> String? {
        let path = FilePath(file.path)
        let folder = path.removingLastComponent()
        let wanted = file.wantedName.map { names(of: folder.appending($0), file.kind) } ?? []
        let all = others.map { folder.appending($0) } + names(of: path, file.kind) + wanted
        return all.first { isThere(file, at: $0) }?.string
    }

    /// Returns a finished file that was moved into a folder; `nil` if it is not there.
    ///
    /// - Parameters:
    ///   - file: The file before the move.
    ///   - copy: The stamp of its copy, if the move had to copy it.
    ///   - others: Further possible names.
    ///   - isForeign: Whether a file belongs to somebody else.
    package static func findMoved(
        _ file: WrittenFile,
        copy: FileStamp?,
        in folder: FilePath,
        or others: [String] = [],
        isForeign: (FileStamp) -> Bool = { _ in false }
    ) -> WrittenFile? {
        let target = folder.appending(String(file.path.pathFile))
        let paths = others.map { folder.appending($0) } + names(of: target, .finished)
        let found = paths.compactMap { path -> WrittenFile? in
            // A file that cannot be checked is not known to be the one.
            guard let status = try? path.status(), status.isRegular else { return nil }
            let stamp = FileStamp(status)
            return isForeign(stamp) ? nil : WrittenFile(.finished, at: path.string, stamp)
        }
        if let same = found.first(where: { $0.stamp == copy || $0.stamp == file.stamp }) {
            return same
        }
        guard let copy else { return nil }
        // On file systems without lasting inodes (FAT), a file has another number after a new mount.
        let similar = found.filter {
            $0.stamp.size == copy.size && $0.stamp.modified == copy.modified
        }
        return similar.count == 1 ? similar.first : nil
    }

    /// Syncs a folder; returns whether that succeeded.
    package static func syncFolder(_ path: FilePath) -> Bool {
        (try? path.syncFolder()) != nil
    }

    /// Whether the path is a folder that can be read.
    package static func isFolder(_ path: String) -> Bool {
        (try? FilePath(path).status())?.isDirectory == true
    }

    /// Returns the existing names that a file of that kind may have.
    private static func names(of path: FilePath, _ kind: WrittenFile.Kind) -> [FilePath] {
        let paths = DownloadPaths(path)
        var names: [FilePath] = []
        var misses = 0
        for number in 0..<mostNumbers where misses < 10 {
            let name =
                switch kind {
                case .corrupt: paths.corrupt(number)
                case .finished, .partial: path.numbered(number)
                }
            names.append(name)
            // A lower number may have become free since then.
            if (try? name.status()) == nil { misses += 1 }
        }
        return names
    }

    /// Whether the file is at the path.
    ///
    /// Returns `false` if the file cannot be checked.
    private static func isThere(_ file: WrittenFile, at path: FilePath) -> Bool {
        guard let status = try? path.status(), status.isRegular else { return false }
        return FileStamp(status) == file.stamp
    }

    // MARK: - Removing

    /// Removes a file if it is still the one that was written.
    ///
    /// A missing file is not an error.
    ///
    /// The bytes of a partial file are ignored, because they change while it grows. Its checkpoint
    /// is removed with it.
    ///
    /// - Throws: `.conflict` if another file has the name of a finished file, `.alreadyRunning` if
    ///   another process uses the partial file, and errors of the file system.
    package static func remove(_ file: WrittenFile) throws(DownloadError) {
        let path = FilePath(file.path)
        guard file.kind != .partial else { return try removePartial(file, path) }
        let status = try attempt(.remove, path, path.status())
        guard let status else { return }
        guard status.isRegular, FileStamp(status) == file.stamp else { throw another(path) }
        try unlink(path)
    }

    /// Removes the checkpoints of a complete file whose partial file has been renamed to its final
    /// name.
    ///
    /// `partial` is the earlier path of the partial file, besides the usual one.
    package static func removeCheckpoints(
        of file: WrittenFile,
        partial: [String]
    ) throws(DownloadError) {
        let usual = DownloadPaths(FilePath(file.path)).partial
        for path in partial.map({ FilePath($0) }) + [usual] {
            let status = try attempt(.remove, path, path.status())
            if status == nil { try removeAbandoned(path.appending(suffix: ".pawl")) }
        }
    }

    /// Removes the temporary name of a file that was about to replace another in one step.
    package static func removeDrafts(of file: WrittenFile) {
        let partial = DownloadPaths(FilePath(file.path)).partial
        // A file that cannot be checked does not belong to it.
        for suffix in (try? suffixes(after: partial)) ?? [] {
            let draft = partial.appending(suffix: suffix)
            guard let status = try? draft.status(), FileStamp(status) == file.stamp else {
                continue
            }
            try? draft.removeFile()
        }
    }

    /// Removes a finished file of which only the size is recorded, if Pawl's mark on the file shows
    /// that it is unchanged.
    ///
    /// - Throws: `.conflict` if the mark does not show that.
    package static func removeMarked(_ path: FilePath, size: Int64) throws(DownloadError) {
        let status = try attempt(.remove, path, path.status())
        guard let status else { return }
        guard status.isRegular, RepresentationMark.found(on: path)?.total == size else {
            throw another(path)
        }
        try unlink(path)
    }

    /// Returns the error for a file that is kept because it is not the download's.
    package static func another(_ path: FilePath) -> DownloadError {
        DownloadError(
            .conflict,
            "\(path) is not the downloaded file and was not removed",
            advice: "it existed before the download, or was changed later; remove it yourself "
                + "if you do not need it",
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

    /// Removes a partial file, which may have been moved to a numbered name since.
    private static func removePartial(
        _ file: WrittenFile,
        _ path: FilePath
    ) throws(DownloadError) {
        let checkpoint = path.appending(suffix: ".pawl")
        let status = try attempt(.remove, path, path.status())
        if let status, FileStamp(status).isSameFile(as: file.stamp) {
            return try remove(path, checkpoint)
        }
        // The checkpoint is left from an interrupted removal.
        if status == nil { try removeAbandoned(checkpoint) }
        for suffix in try attempt(.remove, path, suffixes(after: path)) {
            let aside = path.appending(suffix: suffix)
            let status = try attempt(.remove, aside, aside.status())
            guard let status, FileStamp(status).isSameFile(as: file.stamp) else { continue }
            return try remove(aside, checkpoint.appending(suffix: suffix))
        }
    }

    /// Returns the suffixes of the numbered names that exist beside a file: `.1` of `NAME.1`.
    ///
    /// The numbers may have gaps, because the files of several runs are removed one by one.
    private static func suffixes(after path: FilePath) throws(Errno) -> [String] {
        let name = path.nameBytes
        let names: [[UInt8]]
        do throws(Errno) {
            names = try FolderListing.names(in: path.folder)
        } catch .noSuchFileOrDirectory {
            return []
        }
        return names.compactMap { other in
            guard other.starts(with: name) else { return nil }
            let suffix = other.dropFirst(name.count)
            let digits = suffix.dropFirst()
            guard suffix.first == UInt8(ascii: "."), !digits.isEmpty, digits.allSatisfy(\.isDigit)
            else { return nil }
            return String(decoding: suffix, as: UTF8.self)
        }
    }

    /// Removes both files.
    ///
    /// The order matters: a partial file without a checkpoint would look like another tool's.
    private static func remove(
        _ partial: FilePath,
        _ checkpoint: FilePath
    ) throws(DownloadError) {
        let lock = try FileLock.open(partial)
        let checkpointLock = try FileLock.open(checkpoint)
        try unlink(partial)
        if checkpointLock != nil { try unlink(checkpoint) }
        try unlink(CheckpointFile.draft(of: checkpoint))
        withExtendedLifetime((lock, checkpointLock)) {}
    }

    /// Removes a checkpoint without a partial file.
    private static func removeAbandoned(_ checkpoint: FilePath) throws(DownloadError) {
        guard let file = try FileLock.open(checkpoint) else { return }
        let bytes = try attempt(.inspect, checkpoint, file.contents(limit: CheckpointImage.longest))
        guard case .sound = CheckpointImage(bytes) else { return }
        try unlink(checkpoint)
    }
}

extension PartialStore {
    /// Returns the stamp that distinguishes the partial file from others, whatever its name.
    package func stamp() throws(DownloadError) -> FileStamp {
        try attempt(.inspect, paths.partial, FileStamp(file.status()))
    }
}
