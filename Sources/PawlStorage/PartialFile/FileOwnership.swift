internal import Glibc
internal import PawlCore
package import SystemPackage

/// Distinguishes the files of this user from those of other users in a shared folder.
///
/// Whoever owns a file can change its bytes at any time, whatever a checkpoint claims about them.
package enum FileOwnership {
    /// Whether the file, which is in `folder`, belongs to the user of this process.
    ///
    /// For root, too, the files of other users belong to somebody else.
    static func isOwn(_ status: FileStatus, in folder: FilePath) -> Bool {
        if status.belongsToUser { return true }
        // FAT and some network file systems do not record who has created a file.
        return status.owner == ownerOfNewFile(in: folder)
    }

    /// Whether the file, which is in `folder`, belongs to the user of this process, or to root.
    ///
    /// Anyone else can change its bytes, its times and its attributes at any moment.
    package static func isTrusted(_ status: FileStatus, in folder: FilePath) -> Bool {
        status.owner == 0 || isOwn(status, in: folder)
    }

    /// Returns `nil` if no file can be created there.
    private static func ownerOfNewFile(in folder: FilePath) -> UInt32? {
        if let file = try? OpenFile.unnamed(in: folder) { return try? file.status().owner }
        let random = String(UInt64.random(in: .min ... .max), radix: 16)
        let path = folder.appending(".pawl-owner-\(random)")
        let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW
        guard let file = try? OpenFile(path, flags, mode: 0o600) else { return nil }
        defer { try? path.removeFile() }
        return try? file.status().owner
    }
}
