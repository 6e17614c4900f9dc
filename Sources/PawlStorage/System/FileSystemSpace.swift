internal import Glibc
package import SystemPackage

/// The space that is left on a file system.
package struct FileSystemSpace: Sendable {
    /// The number of bytes that the user may still write; `nil` if the file system has no limit, or
    /// does not know it.
    package let freeBytes: Int64?
    /// Whether the user may still create files.
    package let hasInodes: Bool

    private init(_ status: statvfs) {
        let (bytes, overflow) = Int64(clamping: status.f_bavail)
            .multipliedReportingOverflow(by: Int64(clamping: status.f_frsize))
        freeBytes = status.f_blocks > 0 && !overflow ? bytes : nil
        // Some file systems (btrfs) create inodes as needed, and report none at all.
        hasInodes = status.f_files == 0 || status.f_favail > 0
    }

    init(of file: OpenFile) throws(Errno) {
        var status = statvfs()
        try retrying { fstatvfs(file.descriptor, &status) }
        self.init(status)
    }

    /// Returns the space of the file system that contains the path, or its folder if the path does
    /// not exist; `nil` if the system does not report it.
    package init?(of path: FilePath) {
        var status = statvfs()
        // The caller has another error to report.
        guard
            (try? path.systemCall { statvfs($0, &status) }) != nil
                || (try? path.folder.systemCall { statvfs($0, &status) }) != nil
        else { return nil }
        self.init(status)
    }
}
