internal import Glibc
package import PawlCore
package import SystemPackage

/// Gives a finished file another name, on another file system too.
///
/// At no moment is there a part of a file under the new name, and the source is removed last: a move
/// that fails, or a process that is killed, leaves it where it was.
package struct FileMove: Sendable {
    private static let highestNumber = 9999

    private let source: FilePath
    private let target: FilePath
    private let policy: ExistingFilePolicy
    /// How bytes are copied where a rename is not enough.
    package var methods = FileCopy.Method.allCases
    /// Off, copies have a hidden name, as on file systems that have no files without one.
    package var copiesStartUnnamed = true

    /// `target`: the new name, not a folder to put it in.
    package init(_ source: FilePath, to target: FilePath, policy: ExistingFilePolicy) {
        self.source = source
        self.target = target
        self.policy = policy
    }

    /// Moves; the new name is durable when this returns.
    ///
    /// `onPiece` is called before each piece of a copy, and ends it with what it throws.
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
                    + (error.advice.isEmpty ? "" : "; \(error.advice)"),
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
        let status = try attempt(.inspect, source) { () throws(Errno) in try file.status() }
        guard status.isRegular else {
            throw DownloadError(
                .fileUnreadable,
                "\(source) is not a file",
                context: "looking at \(source)"
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
            try attempt(.remove, source) { () throws(Errno) in try removeSecondName(status) }
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
        // The file is where it should be: that the old name could not go is for the caller to know.
        do throws(Errno) { try removeSource(status) } catch { moved.sourceRemains = true }
        return moved
    }

    private enum Name {
        case given(FilePath), taken, otherFileSystem
    }

    /// Has the name given by the policy, with numbers where it says so.
    private func place(
        _ give: (FilePath) throws(Errno) -> Void
    ) throws(DownloadError) -> Name {
        let name = target.lastComponent?.string ?? ""
        for number in 0...Self.highestNumber {
            let path =
                number == 0
                ? target
                : target.removingLastComponent().appending(FileName.numbered(name, number))
            do throws(Errno) {
                try give(path)
                return .given(path)
            } catch .improperLink {
                return .otherFileSystem
            } catch .fileExists where policy == .rename {
                continue
            } catch .fileExists where policy == .skip {
                return .taken
            } catch {
                throw DownloadError(error, while: .rename, path)
            }
        }
        throw DownloadError(.fileExists, while: .rename, target)
    }

    /// Both names lead to the same place: there is nothing to move.
    private func isSameName() throws(DownloadError) -> Bool {
        guard source.nameBytes == target.nameBytes else { return false }
        return try attempt(.inspect, source) { () throws(Errno) in
            try source.folder.targetStatus()?.identity == target.folder.targetStatus()?.identity
        }
    }

    /// What was put under the name since is not what was to be moved.
    private func checkSource(_ status: FileStatus) throws(Errno) {
        guard try source.status()?.identity == status.identity else {
            throw .noSuchFileOrDirectory
        }
    }

    private func checkUnchanged(_ status: FileStatus) throws(DownloadError) {
        let now = try attempt(.inspect, source) { () throws(Errno) in try source.status() }
        guard let now, now.identity == status.identity, now.size == status.size,
            now.modifiedNanoseconds == status.modifiedNanoseconds
        else {
            throw DownloadError(
                .diskFailure,
                "\(source) was changed while it was copied",
                advice: "move it when nobody writes to it any more"
            )
        }
    }

    /// A file system that cannot sync it, or is read-only, has nothing that could be lost.
    private func syncSource(_ file: OpenFile) throws(DownloadError) {
        do throws(Errno) {
            try file.syncAll()
        } catch .invalidArgument, .readOnlyFileSystem {
            return
        } catch {
            throw DownloadError(error, while: .sync, source)
        }
    }

    /// Where both were names of one file, the system's rename has left both.
    ///
    /// Where they differ by their capitals alone, and the file system does not care, there is only one.
    private func removeSecondName(_ status: FileStatus) throws(Errno) {
        guard status.linkCount > 1, let now = try source.status(), now.linkCount > 1 else { return }
        try removeSource(status)
    }

    private func removeSource(_ status: FileStatus) throws(Errno) {
        guard try source.status()?.identity == status.identity else { return }
        try source.removeFile()
        try source.folder.syncFolder()
    }

    /// The new name first: with the old one gone and the new one not durable, a power cut would take
    /// both.
    private func sync(_ path: FilePath) throws(DownloadError) {
        try attempt(.sync, path) { () throws(Errno) in try path.folder.syncFolder() }
        guard source.folder != path.folder else { return }
        // The old name's going may come back with a power cut, as a second name of the same file.
        try? source.folder.syncFolder()
    }
}

/// What became of a file that was to be moved.
package struct MovedFile: Hashable, Sendable {
    package var path: FilePath
    /// The name was taken, and the policy is to leave it at that.
    package var wasSkipped = false
    /// The file still has its old name too: that could not be removed, or nothing was moved.
    package var sourceRemains = false
    /// Extended attributes that the other file system does not keep.
    package var lostAttributes: [String] = []

    package init(path: FilePath, wasSkipped: Bool = false, sourceRemains: Bool = false) {
        self.path = path
        self.wasSkipped = wasSkipped
        self.sourceRemains = sourceRemains
    }
}
