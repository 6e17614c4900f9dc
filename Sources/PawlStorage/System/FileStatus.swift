internal import Glibc
internal import SystemPackage

/// What the system knows of a file.
struct FileStatus: Sendable {
    struct Identity: Hashable, Sendable {
        let device: UInt64
        let inode: UInt64
    }

    let identity: Identity
    let size: Int64
    let allocated: Int64
    let modifiedNanoseconds: Int64
    let isRegular: Bool
    let isDirectory: Bool

    init(_ status: Glibc.stat) {
        identity = Identity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
        size = Int64(status.st_size)
        allocated = Int64(status.st_blocks).multipliedReportingOverflow(by: 512).partialValue
        let seconds = Int64(status.st_mtim.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        modifiedNanoseconds = seconds.partialValue &+ Int64(status.st_mtim.tv_nsec)
        let kind = status.st_mode & S_IFMT
        isRegular = kind == S_IFREG
        isDirectory = kind == S_IFDIR
    }

    /// Nil where the call finds nothing.
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
