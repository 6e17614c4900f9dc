internal import CPlatform
internal import Glibc
internal import SystemPackage
package import PawlCore

/// The status of a file.
package struct FileStatus: Sendable {
    package struct Identity: Hashable, Sendable {
        package let device: UInt64
        package let inode: UInt64
    }

    package let identity: Identity
    package let size: Int64
    package let allocated: Int64
    package let modifiedNanoseconds: Int64
    package let accessedNanoseconds: Int64
    /// The time of the last change of the content, the owner or the permissions.
    fileprivate let changedNanoseconds: Int64
    /// The number of hard links.
    package let linkCount: UInt64
    let owner: UInt32
    /// The permissions, without the type of file.
    package let permissions: UInt32
    package let isRegular: Bool
    package let isDirectory: Bool
    package let isSymbolicLink: Bool

    init(_ status: Glibc.stat) {
        identity = Identity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
        size = Int64(status.st_size)
        allocated = Int64(status.st_blocks).multipliedReportingOverflow(by: 512).partialValue
        modifiedNanoseconds = Self.nanoseconds(status.st_mtim)
        accessedNanoseconds = Self.nanoseconds(status.st_atim)
        changedNanoseconds = Self.nanoseconds(status.st_ctim)
        linkCount = UInt64(status.st_nlink)
        owner = UInt32(status.st_uid)
        permissions = UInt32(status.st_mode & 0o7777)
        let kind = status.st_mode & S_IFMT
        isRegular = kind == S_IFREG
        isDirectory = kind == S_IFDIR
        isSymbolicLink = kind == S_IFLNK
    }

    /// Whether the file belongs to the user of this process.
    package var belongsToUser: Bool { owner == geteuid() }

    /// Whether the file belongs to root.
    package var belongsToRoot: Bool { owner == 0 }

    private static func nanoseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000).partialValue
            &+ Int64(time.tv_nsec)
    }

    /// Returns the status; `nil` if the call finds nothing.
    static func find(_ call: (inout Glibc.stat) throws(Errno) -> Void) throws(Errno) -> FileStatus?
    {
        var status = Glibc.stat()
        do throws(Errno) {
            try call(&status)
        } catch .noSuchFileOrDirectory {
            return nil
        }
        return FileStatus(status)
    }
}

extension FileStamp {
    package init(_ status: FileStatus) {
        self.init(
            device: status.identity.device,
            inode: status.identity.inode,
            size: status.size,
            modified: status.modifiedNanoseconds
        )
    }
}

extension ChangeStamp {
    package init(_ status: FileStatus) {
        self.init(FileStamp(status), changed: status.changedNanoseconds)
    }
}
