internal import Glibc
package import PawlCore
package import SystemPackage
package import struct FoundationEssentials.URL

/// Moves a finished file to another name, on another file system, too.
///
/// The new name never shows a part of the file, and the source is removed last. If the move fails
/// or the process is killed, the file stays where it was.
package struct FileMove: Sendable {
    private let source: FilePath
    private let target: FilePath
    private let policy: ExistingFilePolicy
    /// The URLs of the file if other processes may move the same file into the folder; otherwise
    /// empty.
    ///
    /// If the same file of one of these URLs is already there, with any number, it stays, and the
    /// source is removed.
    package var sharedURLs: [URL] = []
    /// The ways to copy bytes if a rename is not possible.
    package var methods = FileCopy.Method.allCases
    /// Whether copies have no name at first.
    ///
    /// With `false` they have a hidden name, as on file systems that do not support files without
    /// one.
    package var copiesStartUnnamed = true

    /// Creates a move.
    ///
    /// `target` is the new name, not a folder to put the file in.
    package init(_ source: FilePath, to target: FilePath, policy: ExistingFilePolicy) {
        self.source = source
        self.target = target
        self.policy = policy
    }

    /// Moves the file.
    ///
    /// Once the file has its new name, nothing throws: the result has the new path, and names what
    /// failed after that. Without such a problem the new name is durable when this returns.
    ///
    /// `onPiece` is called before each piece of a copy, and of a comparison with a file that may be the
    /// same. `willNameCopy` is called with the stamp of a complete copy before the copy gets its name:
    /// by the stamp, it is recognized after a kill. An error that one of them throws ends the move.
    package func run(
        onPiece: () throws(DownloadError) -> Void = {},
        willNameCopy: (FileStamp) throws(DownloadError) -> Void = { _ throws(DownloadError) in }
    ) throws(DownloadError) -> MovedFile {
        var status: FileStatus?
        do throws(DownloadError) {
            let file = try attempt(.inspect, source) { () throws(Errno) in
                try OpenFile(source, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
            }
            let opened = try attempt(.inspect, source, file.status())
            status = opened
            try FolderPreparation.prepare(target.folder)
            return try move(file, opened, onPiece, willNameCopy)
        } catch {
            // Another process may have moved it. A status that cannot be read proves nothing.
            guard let now = try? source.status(),
                status.map({ $0.identity == now.identity }) ?? true
            else { throw error }
            throw DownloadError(
                error.code,
                error.message,
                advice: "the file is still at \(source)"
                    + (error.guidance.isEmpty ? "" : "; \(error.guidance)"),
                context: "moving \(source) to \(target)",
                retryClass: error.retryClass
            )
        }
    }

    private func move(
        _ file: OpenFile,
        _ status: FileStatus,
        _ onPiece: () throws(DownloadError) -> Void,
        _ willNameCopy: (FileStamp) throws(DownloadError) -> Void
    ) throws(DownloadError) -> MovedFile {
        guard status.isRegular else {
            throw DownloadError(
                .fileUnreadable,
                "\(source) is not a file",
                context: "checking \(source)"
            )
        }
        if try isSameName() { return MovedFile(path: target, FileStamp(status)) }
        try syncSource(file)
        let name = try giveName(to: file, status, onPiece) { (path) throws(Errno) in
            try checkSource(status)
            try policy == .overwrite
                ? Renaming.replacing(source, path) : Renaming.withoutReplacing(source, path)
        }
        switch name {
        case .given(let path):
            var moved = MovedFile(path: path, FileStamp(status))
            moved.note { () throws(DownloadError) in try sync(path) }
            moved.noteRemoval { () throws(DownloadError) in
                try attempt(.remove, source, removeSecondName(status))
            }
            return moved
        case .taken: return .skipped(target, FileStamp(status))
        case .same(let path, let stamp): return removeSource(status, for: path, stamp)
        case .otherFileSystem: return try copyAcross(file, status, onPiece, willNameCopy)
        }
    }

    private func copyAcross(
        _ file: OpenFile,
        _ status: FileStatus,
        _ onPiece: () throws(DownloadError) -> Void,
        _ willNameCopy: (FileStamp) throws(DownloadError) -> Void
    ) throws(DownloadError) -> MovedFile {
        let draft = try attempt(.create, target) { () throws(Errno) in
            try FileDraft(in: target.folder, mode: 0o600, startsUnnamed: copiesStartUnnamed)
        }
        let copy = FileCopy(from: file, source, to: draft.file, target, methods: methods)
        let lost = try copy.run(status, onPiece: onPiece)
        let stamp = FileStamp(try attempt(.inspect, target, draft.file.status()))
        try willNameCopy(stamp)
        try checkUnchanged(status)
        let name = try giveName(to: file, status, onPiece) { (path) throws(Errno) in
            try policy == .overwrite ? draft.takeName(path) : draft.giveName(path)
        }
        switch name {
        case .given(let path):
            var moved = removeSource(status, for: path, stamp)
            moved.lostAttributes = lost
            return moved
        case .same(let path, let stamp): return removeSource(status, for: path, stamp)
        case .taken, .otherFileSystem: return .skipped(target, stamp)
        }
    }

    /// Removes the source, of which there is another copy.
    private func removeSource(
        _ status: FileStatus,
        for path: FilePath,
        _ stamp: FileStamp
    ) -> MovedFile {
        var moved = MovedFile(path: path, stamp)
        // The source is the only durable copy until the new name is durable.
        moved.noteRemoval { () throws(DownloadError) in
            try sync(path)
            try attempt(.remove, source, removeSource(status))
        }
        return moved
    }

    private enum Name {
        case given(FilePath), taken, otherFileSystem
        /// The same file, which another process has moved.
        case same(FilePath, FileStamp)
    }

    /// Takes the name, unless the same file is there already.
    private func giveName(
        to file: OpenFile,
        _ status: FileStatus,
        _ onPiece: () throws(DownloadError) -> Void,
        _ give: (FilePath) throws(Errno) -> Void
    ) throws(DownloadError) -> Name {
        guard !sharedURLs.isEmpty else { return try takeName(give) }
        let names = MovedNames(target)
        var search = EqualFileSearch(names, for: file, FileStamp(status), of: sharedURLs)
        while true {
            try search.compare(onPiece: onPiece)
            let name = try names.whileLocked { () throws(DownloadError) -> Name? in
                switch search.answer {
                case .same(let path, let stamp): .same(path, stamp)
                case .none: try takeName(give)
                // Another process has moved a file meanwhile.
                case .unknown: nil
                }
            }
            if let name { return name }
        }
    }

    /// Takes the name according to the policy, with a number if necessary.
    private func takeName(
        _ give: (FilePath) throws(Errno) -> Void
    ) throws(DownloadError) -> Name {
        let name = try FreeName.search { (number) throws(DownloadError) -> Name? in
            let path = target.numbered(number)
            do throws(Errno) {
                try give(path)
                return .given(path)
            } catch .improperLink {
                return .otherFileSystem
            } catch .fileExists where policy == .rename {
                return nil
            } catch .fileExists where policy == .skip {
                return .taken
            } catch {
                throw DownloadError(error, while: .rename, path)
            }
        }
        guard let name else { throw DownloadError(.fileExists, while: .rename, target) }
        return name
    }

    /// Whether both names refer to the same file, so that there is nothing to move.
    private func isSameName() throws(DownloadError) -> Bool {
        guard source.nameBytes == target.nameBytes else { return false }
        return try attempt(.inspect, source) { () throws(Errno) in
            try source.folder.targetStatus()?.identity == target.folder.targetStatus()?.identity
        }
    }

    /// Checks that the name still refers to the file to be moved.
    private func checkSource(_ status: FileStatus) throws(Errno) {
        guard try source.status()?.identity == status.identity else {
            throw .noSuchFileOrDirectory
        }
    }

    private func checkUnchanged(_ status: FileStatus) throws(DownloadError) {
        let now = try attempt(.inspect, source, source.status())
        guard let now, now.identity == status.identity, now.size == status.size,
            now.modifiedNanoseconds == status.modifiedNanoseconds
        else {
            throw DownloadError(
                .diskFailure,
                "\(source) was changed while it was copied",
                advice: "move it when no program writes to it any more"
            )
        }
    }

    /// Syncs the source.
    ///
    /// A file system that cannot sync it, or is read-only, has nothing to lose.
    private func syncSource(_ file: OpenFile) throws(DownloadError) {
        do throws(Errno) {
            try file.syncAll()
        } catch .invalidArgument, .readOnlyFileSystem {
            return
        } catch {
            throw DownloadError(error, while: .sync, source)
        }
    }

    /// Removes the second name of a file.
    ///
    /// If both were names of one file, the system's rename has kept both.
    ///
    /// If they differ only in case, and the file system ignores case, there is only one.
    private func removeSecondName(_ status: FileStatus) throws(Errno) {
        guard status.linkCount > 1, let now = try source.status(), now.linkCount > 1 else { return }
        try removeSource(status)
    }

    private func removeSource(_ status: FileStatus) throws(Errno) {
        guard try source.status()?.identity == status.identity else { return }
        try source.removeFile()
        // A power cut may restore the old name.
        try? source.folder.syncFolder()
    }

    /// Syncs the folders, the new name's first.
    ///
    /// If the old name were gone before the new one is durable, a power cut would lose both.
    private func sync(_ path: FilePath) throws(DownloadError) {
        try attempt(.sync, path, path.folder.syncFolder())
        guard source.folder != path.folder else { return }
        // A power cut may restore the old name, as a second name of the same file.
        try? source.folder.syncFolder()
    }
}

/// The result of moving a file.
package struct MovedFile: Sendable {
    package var path: FilePath
    /// The stamp of the file, which may have been another one under its old name.
    package var stamp: FileStamp
    /// Whether the name was taken and the policy is to skip the move.
    package private(set) var wasSkipped = false
    /// Whether the old name still exists: it could not be removed, or nothing was moved.
    package private(set) var sourceRemains = false
    /// The extended attributes that the other file system does not keep.
    package var lostAttributes: [String] = []
    /// What failed after the file had its new name.
    package private(set) var problems: [DownloadError] = []

    fileprivate init(path: FilePath, _ stamp: FileStamp) {
        (self.path, self.stamp) = (path, stamp)
    }

    /// The result if the name was taken and nothing was moved.
    fileprivate static func skipped(_ path: FilePath, _ stamp: FileStamp) -> Self {
        var moved = Self(path: path, stamp)
        (moved.wasSkipped, moved.sourceRemains) = (true, true)
        return moved
    }

    /// Does what follows a move, and notes its error.
    fileprivate mutating func note(_ body: () throws(DownloadError) -> Void) {
        do throws(DownloadError) { try body() } catch { problems.append(error) }
    }

    /// Removes the old name, and notes the error if that fails.
    fileprivate mutating func noteRemoval(_ body: () throws(DownloadError) -> Void) {
        do throws(DownloadError) {
            try body()
        } catch {
            sourceRemains = true
            problems.append(error)
        }
    }
}
