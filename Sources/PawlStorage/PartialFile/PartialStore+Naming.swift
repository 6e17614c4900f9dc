internal import CPlatform
internal import Glibc
package import PawlCore
internal import SystemPackage
internal import Synchronization

/// A closure that returns the names to try after `taken`, which belong to another file.
///
/// It throws if there are none.
package typealias NextName =
    @Sendable (_ taken: DownloadPaths) throws(DownloadError) -> DownloadPaths

/// Names: a partial file has none before its first claim.
extension PartialStore {
    /// Gives the partial file and its checkpoint their first names, or others if these are taken.
    func claimNames(_ checkpoint: Checkpoint, _ state: inout State) throws(DownloadError) {
        var checkpoint = checkpoint
        while try !takeNames(checkpoint, &state) {
            let (taken, next) = names.withLock { ($0.paths, $0.next) }
            // An adopted file has its name already.
            guard let next, !state.isNamed else { throw FileLock.taken(taken.partial) }
            let paths = try next(taken)
            checkpoint.targetName = paths.targetName
            let whenRenamed = names.withLock { names in
                names.paths = paths
                return names.whenRenamed
            }
            whenRenamed?(self)
        }
    }

    /// Sets a callback for the case that the files get other names than those in `paths`.
    ///
    /// The callback must call nothing of the store except its paths.
    package func onRename(_ body: @escaping @Sendable (PartialStore) -> Void) {
        names.withLock { $0.whenRenamed = body }
    }

    /// Returns the error for names that are taken, with their owner.
    package static func taken(_ paths: DownloadPaths) -> DownloadError {
        FileLock.taken(paths.partial)
    }

    /// Takes the names.
    ///
    /// Returns `false` if one of the two is another file's.
    ///
    /// The checkpoint comes first: a checkpoint without a partial file can be recognized, the
    /// reverse cannot.
    private func takeNames(
        _ checkpoint: Checkpoint,
        _ state: inout State
    ) throws(DownloadError) -> Bool {
        if state.checkpoint == nil {
            state.checkpoint = try CheckpointFile.create(
                paths.checkpoint,
                checkpoint,
                startsUnnamed: settings.startsUnnamed
            )
            guard state.checkpoint != nil else { return false }
        } else {
            try state.checkpoint?.write(checkpoint)
        }
        state.latest = checkpoint
        do throws(DownloadError) {
            if state.isNamed { return true }
            if try nameFile(&state) { return true }
        } catch {
            // The checkpoint of a file without a name claims bytes that nobody can find.
            try? removeCheckpoint(&state)
            throw error
        }
        try removeCheckpoint(&state)
        return false
    }

    private func nameFile(_ state: inout State) throws(DownloadError) -> Bool {
        // The lock is taken before others can see the file.
        try FileLock.take(file, paths.partial)
        do throws(Errno) {
            try file.link(as: paths.partial)
            state.isNamed = true
            return true
        } catch .fileExists {
            return false
        } catch {
            throw DownloadError(error, while: .create, paths.partial)
        }
    }

    /// Opens a file without a name if the file system and `/proc` support that, so that a short
    /// download leaves nothing behind when it is killed.
    static func openUnnamed(
        in folder: FilePath,
        _ settings: StoreSettings
    ) throws(DownloadError) -> OpenFile? {
        guard settings.startsUnnamed else { return nil }
        return try attempt(.create, folder.appending("a partial file")) { () throws(Errno) in
            try OpenFile.unnamed(in: folder)
        }
    }
}

extension OpenFile {
    private static let canNameLater: Bool = {
        let found = try? FilePath("/proc/self/fd").systemCall { access($0, X_OK) }
        return found != nil
    }()

    /// Opens a file without a name in that folder; `nil` if the system has none that could be named
    /// later.
    static func unnamed(in folder: FilePath, mode: mode_t = 0o666) throws(Errno) -> OpenFile? {
        guard canNameLater else { return nil }
        do throws(Errno) {
            return try OpenFile(folder, O_RDWR | pawl_o_tmpfile, mode: mode)
        } catch .notSupportedOnSocket, .isDirectory, .noSuchFileOrDirectory, .invalidArgument,
            .noFunction
        {
            return nil
        }
    }

    /// Gives a file without a name one.
    ///
    /// It never replaces a file.
    func link(as path: FilePath) throws(Errno) {
        try FilePath("/proc/self/fd/\(descriptor)").systemCall(path) { handle, path in
            linkat(AT_FDCWD, handle, AT_FDCWD, path, AT_SYMLINK_FOLLOW)
        }
    }
}
