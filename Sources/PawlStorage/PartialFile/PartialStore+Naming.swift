internal import CPlatform
internal import Glibc
internal import PawlCore
internal import SystemPackage
internal import Synchronization

/// Names: a partial file has none before its first claim.
extension PartialStore {
    func nameFile(_ state: inout State) throws(DownloadError) {
        // Before others can see it.
        try FileLock.take(file, paths.partial)
        do throws(Errno) {
            try file.link(as: paths.partial)
            state.isNamed = true
        } catch .fileExists {
            throw FileLock.taken(paths.partial)
        } catch {
            throw DownloadError(error, while: .create, paths.partial)
        }
    }

    /// Without a name where the file system and `/proc` allow it: what a short download leaves
    /// behind when it is killed is then nothing at all.
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

    /// A file without a name in that folder, nil where the system has none that could get one later.
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

    /// Gives a file without a name one; never replaces.
    func link(as path: FilePath) throws(Errno) {
        try FilePath("/proc/self/fd/\(descriptor)").systemCall(path) { handle, path in
            linkat(AT_FDCWD, handle, AT_FDCWD, path, AT_SYMLINK_FOLLOW)
        }
    }
}
