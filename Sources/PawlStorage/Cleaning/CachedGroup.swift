internal import Glibc
package import PawlCore
internal import SystemPackage

/// Files of a cache that are removed together.
struct CachedGroup {
    struct File {
        let path: FilePath
        let status: FileStatus
    }

    private(set) var files: [File]

    static func all(
        below folder: FilePath,
        skipping protected: FileStatus.Identity?
    ) throws(Errno) -> [CachedGroup] {
        var groups: [FilePath: CachedGroup] = [:]
        guard try folder.targetStatus() != nil else { return [] }
        try FolderTree.forEachFile(below: folder, skipping: protected) {
            (path, status) throws(Errno) in
            guard status.isRegular else { return }
            let name = DownloadPaths(partialOrCheckpoint: path)?.partial ?? path
            groups[name, default: CachedGroup(files: [])].files.append(
                File(path: path, status: status)
            )
        }
        // The checkpoint comes after its partial file: a checkpoint that is left alone is
        // recognized as useless.
        return groups.sorted { $0.key.string < $1.key.string }.map { _, group in
            CachedGroup(files: group.files.sorted { $0.path.string < $1.path.string })
        }
    }

    /// Returns the candidate for the plan.
    ///
    /// `locked` contains the inode numbers of the locked files.
    func candidate(index: Int, locked: Set<UInt64>) -> CleaningPlan.Candidate {
        var candidate = CleaningPlan.Candidate(index: index, files.map(\.status))
        candidate.isInUse = files.contains { locked.contains($0.status.identity.inode) }
        return candidate
    }

    /// Removes the files that have not changed and have not been locked since.
    mutating func remove(_ result: inout CleaningResult) {
        guard let locks = lock(), files.allSatisfy(\.isUnchanged) else {
            result.kept += files.map(\.path.string)
            return
        }
        // The locks are held until all files are removed.
        withExtendedLifetime(locks) {
            files.removeAll { $0.remove(&result) }
        }
    }

    /// Locks all of the files; `nil` if one of the locks is held already.
    private func lock() -> [OpenFile]? {
        var locks: [OpenFile] = []
        for file in files {
            // A file that cannot be read can still be removed, without a lock.
            guard let open = try? OpenFile(file.path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK) else {
                continue
            }
            if (try? FileLock.tryToTake(open)) == .held { return nil }
            locks.append(open)
        }
        return locks
    }
}

extension CleaningPlan.Candidate {
    /// Creates the candidate of files that are removed together.
    package init(index: Int, _ files: [FileStatus]) {
        let sum = { (value: (FileStatus) -> Int64) in
            files.reduce(Int64(0)) { total, file in
                let (sum, overflow) = total.addingReportingOverflow(max(0, value(file)))
                return overflow ? .max : sum
            }
        }
        self.init(
            index: index,
            bytes: sum { $0.size },
            reclaimableBytes: sum { $0.linkCount == 1 ? $0.allocated : 0 },
            lastUsed: files.map(\.lastUsed).max() ?? 0
        )
    }
}

extension CachedGroup.File {
    /// Removes a file.
    ///
    /// Returns whether it is gone. A file that another process has removed is gone too, but not
    /// counted.
    fileprivate func remove(_ result: inout CleaningResult) -> Bool {
        do throws(Errno) {
            try path.removeFile()
        } catch .noSuchFileOrDirectory {
            return true
        } catch {
            result.kept.append(path.string)
            return false
        }
        result.removed.append(path.string)
        result.removedBytes += status.size
        return true
    }

    /// Whether the file has neither been written to nor read since the decision.
    fileprivate var isUnchanged: Bool {
        guard let now = try? path.status() else { return true }
        return now.identity == status.identity && now.size == status.size
            && now.lastUsed == status.lastUsed
    }
}

extension FileStatus {
    /// The time of the last read, if the file system records it, or of the last change, whichever
    /// is later.
    fileprivate var lastUsed: Int64 { max(accessedNanoseconds, modifiedNanoseconds) }
}
