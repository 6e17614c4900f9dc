internal import Glibc
package import PawlCore
package import SystemPackage

/// Moves a finished file to another name, on another file system, too.
///
/// The new name never shows a part of the file, and the source is removed last. If the move fails
/// or the process is killed, the file stays where it was.
package struct FileMove: Sendable {
    private let source: FilePath
    private let target: FilePath
    private let policy: ExistingFilePolicy
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
    /// The new name is durable when this returns.
    ///
    /// `onPiece` is called before each piece of a copy; an error that it throws ends the copy.
    package func run(
        onPiece: () throws(DownloadError) -> Void = {}
    ) throws(DownloadError) -> MovedFile {
        do throws(DownloadError) {
            try FolderPreparation.prepare(target.folder)
            return try move(onPiece)
        } catch {
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

    private func move(_ onPiece: () throws(DownloadError) -> Void) throws(DownloadError)
        -> MovedFile
    {
        let file = try attempt(.inspect, source) { () throws(Errno) in
            try OpenFile(source, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        }
        let status = try attempt(.inspect, source, file.status())
        guard status.isRegular else {
            throw DownloadError(
                .fileUnreadable,
                "\(source) is not a file",
                context: "checking \(source)"
            )
        }
        if try isSameName() { return MovedFile(path: target) }
        try syncSource(file)
        let name = try place { (path) throws(Errno) in
            try checkSource(status)
            try policy == .overwrite
                ? Renaming.replacing(source, path) : Renaming.withoutReplacing(source, path)
        }
        switch name {
        case .given(let path):
            try sync(path)
            try attempt(.remove, source, removeSecondName(status))
            return MovedFile(path: path)
        case .taken: return MovedFile(path: target, wasSkipped: true, sourceRemains: true)
        case .otherFileSystem: return try copyAcross(file, status, onPiece)
        }
    }

    private func copyAcross(
        _ file: OpenFile,
        _ status: FileStatus,
        _ onPiece: () throws(DownloadError) -> Void
    ) throws(DownloadError) -> MovedFile {
        let draft = try attempt(.create, target) { () throws(Errno) in
            try FileDraft(in: target.folder, mode: 0o600, startsUnnamed: copiesStartUnnamed)
        }
        let copy = FileCopy(from: file, source, to: draft.file, target, methods: methods)
        let lost = try copy.run(status, onPiece: onPiece)
        try checkUnchanged(status)
        let name = try place { (path) throws(Errno) in
            try policy == .overwrite ? draft.takeName(path) : draft.giveName(path)
        }
        guard case .given(let path) = name else {
            return MovedFile(path: target, wasSkipped: true, sourceRemains: true)
        }
        try sync(path)
        var moved = MovedFile(path: path)
        moved.lostAttributes = lost
        // The file has its new name. If the old name cannot be removed, the result reports that.
        do throws(Errno) { try removeSource(status) } catch { moved.sourceRemains = true }
        return moved
    }

    private enum Name {
        case given(FilePath), taken, otherFileSystem
    }

    /// Takes the name according to the policy, with a number if necessary.
    private func place(
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

    /// Whether both names refer to the same place, so that there is nothing to move.
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
        try source.folder.syncFolder()
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
package struct MovedFile: Hashable, Sendable {
    package var path: FilePath
    /// Whether the name was taken and the policy is to skip the move.
    package var wasSkipped = false
    /// Whether the old name still exists: it could not be removed, or nothing was moved.
    package var sourceRemains = false
    /// The extended attributes that the other file system does not keep.
    package var lostAttributes: [String] = []

    package init(path: FilePath, wasSkipped: Bool = false, sourceRemains: Bool = false) {
        self.path = path
        self.wasSkipped = wasSkipped
        self.sourceRemains = sourceRemains
    }
}
