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
        guard settings.startsUnnamed, Self.canNameLater else { return nil }
        do throws(Errno) {
            return try OpenFile(folder, O_RDWR | pawl_o_tmpfile)
        } catch .notSupportedOnSocket, .isDirectory, .noSuchFileOrDirectory, .invalidArgument,
            .noFunction
        {
            return nil
        } catch {
            throw DownloadError(error, while: .create, folder.appending("a partial file"))
        }
    }

    private static let canNameLater: Bool = {
        let found = try? FilePath("/proc/self/fd").systemCall { access($0, X_OK) }
        return found != nil
    }()
}

extension OpenFile {
    /// Gives a file without a name one; never replaces.
    func link(as path: FilePath) throws(Errno) {
        try FilePath("/proc/self/fd/\(descriptor)").systemCall(path) { handle, path in
            linkat(AT_FDCWD, handle, AT_FDCWD, path, AT_SYMLINK_FOLLOW)
        }
    }
}
