internal import Glibc
internal import SystemPackage

/// Operations on a folder and everything below it; symbolic links are never followed.
enum FolderTree {
    /// Calls `body` with each file, link and other entry that is not a folder.
    ///
    /// Entries that disappear meanwhile are skipped.
    static func forEachFile(
        below folder: FilePath,
        skipping skipped: FileStatus.Identity? = nil,
        _ body: (FilePath, FileStatus) throws(Errno) -> Void
    ) throws(Errno) {
        var folders = [folder]
        while let next = folders.popLast() {
            for path in try present({ () throws(Errno) in try FolderListing.entries(of: next) })
                ?? []
            {
                guard let status = try path.status() else { continue }
                if !status.isDirectory {
                    try body(path, status)
                } else if status.identity != skipped {
                    folders.append(path)
                }
            }
        }
    }

    /// Returns the total size of the files, each counted once, however many names it has.
    static func byteCount(of folder: FilePath) throws(Errno) -> Int64 {
        var total: Int64 = 0
        var counted: Set<FileStatus.Identity> = []
        try forEachFile(below: folder) { (_, status) throws(Errno) in
            guard status.isRegular else { return }
            guard status.linkCount == 1 || counted.insert(status.identity).inserted else { return }
            let (sum, overflow) = total.addingReportingOverflow(max(0, status.size))
            total = overflow ? .max : sum
        }
        return total
    }

    /// Removes a file, or a folder with its content.
    ///
    /// Returns `false` if there was nothing.
    @discardableResult
    static func remove(_ path: FilePath) throws(Errno) -> Bool {
        guard let status = try path.status() else { return false }
        guard status.isDirectory else {
            return try present { () throws(Errno) in try path.removeFile() } != nil
        }
        var failure: Errno?
        for entry in try present({ () throws(Errno) in try FolderListing.entries(of: path) }) ?? []
        {
            // The other entries are still removed; the first error is the one to report.
            do throws(Errno) { try remove(entry) } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
        return try present { () throws(Errno) in try path.systemCall { rmdir($0) } } != nil
    }

    /// Returns `nil` if it is gone, because another process was faster.
    private static func present<T>(_ call: () throws(Errno) -> T) throws(Errno) -> T? {
        do throws(Errno) { return try call() } catch .noSuchFileOrDirectory { return nil }
    }
}
