internal import Glibc
internal import PawlCore
internal import PawlStorage
internal import SystemPackage

/// Opens the files that daemons and their commands lock.
enum LockFile {
    /// Opens a file, which only the user can access; creates it if there is none.
    ///
    /// Throws `.directoryNotUsable`.
    static func open(_ path: FilePath) throws(DownloadError) -> OpenFile {
        do throws(Errno) {
            return try OpenFile(path, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
        } catch {
            throw DownloadError(
                .directoryNotUsable,
                "the lock of the daemon cannot be opened: \(error)",
                advice: "check the permissions of the folder",
                context: "opening \(path)"
            )
        }
    }
}
