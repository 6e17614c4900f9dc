internal import Glibc
package import PawlCore
internal import PawlStorage
internal import SystemPackage

/// A small file that a user names, such as a certificate, and that other programs may replace.
package struct GivenFile: Sendable, Hashable {
    package let path: String

    package init(_ path: String) { self.path = path }

    /// The stamp of the file; `nil` if it does not exist.
    ///
    /// Programs that renew a file may replace a symbolic link, so the target of a link counts.
    package var stamp: ChangeStamp? {
        // A file whose status cannot be read cannot be opened either, which gives the reason.
        (try? FilePath(path).targetStatus()).map { ChangeStamp($0) }
    }

    /// The reason why a file cannot be read.
    package enum Failure: Error {
        /// In the words of the system.
        case opening(String)
        case reading(String)
        /// It is not a regular file, or it is too large.
        case unsuitable
    }

    package struct Content: Sendable {
        package let bytes: [UInt8]
        /// Whether only those whom ssh lets read a key can read it.
        ///
        /// A file of the process's user must be closed to all others. A file of another user, such
        /// as root, may be readable by a group (Debian's `ssl-cert`), but not by everybody.
        package let isPrivate: Bool
        /// Whether only the process's user, and root, can access it.
        package let isOnlyForUser: Bool
    }

    package func read(atMost mostBytes: Int) throws(Failure) -> Content {
        let file: OpenFile
        do throws(Errno) {
            file = try OpenFile(FilePath(path), O_RDONLY | O_NONBLOCK)
        } catch {
            throw .opening("\(error)")
        }
        do throws(Errno) {
            if let content = try Self.content(of: file, atMost: mostBytes) { return content }
        } catch {
            throw .reading("\(error)")
        }
        throw .unsuitable
    }

    /// Returns `nil` if the file is unsuitable.
    private static func content(
        of file: OpenFile,
        atMost mostBytes: Int
    ) throws(Errno) -> Content? {
        let status = try file.status()
        guard status.isRegular, status.size <= mostBytes else { return nil }
        let others: UInt32 = status.belongsToUser ? 0o077 : 0o007
        let isOfUser = status.belongsToUser || status.belongsToRoot
        return Content(
            bytes: try file.contents(limit: mostBytes),
            isPrivate: status.permissions & others == 0,
            isOnlyForUser: isOfUser && status.permissions & 0o077 == 0
        )
    }
}
