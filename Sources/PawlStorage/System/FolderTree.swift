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

    /// The number of entries of any kind, and the bytes that they occupy.
    ///
    /// What cannot be read, or disappears meanwhile, is not counted. Ends when there are more than
    /// `most` entries.
    static func usage(
        below folder: FilePath,
        most: Int
    ) -> (entryCount: Int, byteCount: Int64) {
        var (folders, entryCount, byteCount) = ([folder], 0, Int64(0))
        while let next = folders.popLast(), entryCount <= most {
            for path in (try? FolderListing.entries(of: next)) ?? [] {
                guard let status = try? path.status() else { continue }
                entryCount += 1
                let (sum, overflow) = byteCount.addingReportingOverflow(max(0, status.allocated))
                byteCount = overflow ? .max : sum
                if status.isDirectory { folders.append(path) }
            }
        }
        return (entryCount, byteCount)
    }

    /// Removes a file, or a folder with its content, even from folders that this user has made
    /// unwritable.
    ///
    /// Returns `false` if there was nothing.
    @discardableResult
    static func remove(_ path: FilePath) throws(Errno) -> Bool {
        guard let status = try path.status() else { return false }
        guard status.isDirectory else {
            return try present { () throws(Errno) in try path.removeFile() } != nil
        }
        // Not by recursion: the content of an archive may be deeper than a stack.
        var (open, emptied, failure) = ([path], [FilePath](), nil as Errno?)
        // The other entries are still removed; the first error is the one to report.
        func trying(_ call: () throws(Errno) -> Void) {
            do throws(Errno) { try call() } catch .noSuchFileOrDirectory {} catch {
                failure = failure ?? error
            }
        }
        while let folder = open.popLast() {
            emptied.append(folder)
            trying { () throws(Errno) in
                try makeWritable(folder)
                for entry in try FolderListing.entries(of: folder) {
                    trying { () throws(Errno) in
                        if try entry.status()?.isDirectory == true {
                            open.append(entry)
                        } else {
                            try entry.removeFile()
                        }
                    }
                }
            }
        }
        for folder in emptied.reversed() {
            trying { () throws(Errno) in try folder.systemCall { rmdir($0) } }
        }
        if let failure { throw failure }
        return true
    }

    private static func makeWritable(_ folder: FilePath) throws(Errno) {
        guard let status = try folder.status(), status.permissions & 0o700 != 0o700,
            status.belongsToUser
        else { return }
        let mode = mode_t(status.permissions | 0o700)
        try folder.systemCall { fchmodat(AT_FDCWD, $0, mode, AT_SYMLINK_NOFOLLOW) }
    }

    /// Returns `nil` if it is gone, because another process was faster.
    private static func present<T>(_ call: () throws(Errno) -> T) throws(Errno) -> T? {
        do throws(Errno) { return try call() } catch .noSuchFileOrDirectory { return nil }
    }
}
