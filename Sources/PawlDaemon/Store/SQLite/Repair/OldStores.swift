package import FoundationEssentials
internal import Glibc
internal import PawlCore

/// The databases beside the one in use: damaged ones that were set aside, the backup of an upgrade,
/// and the draft of an interrupted upgrade.
///
/// They hold requests with their secrets. Damaged databases and the backup are kept for some days,
/// then removed. What can be read of a damaged one is recovered at once. A draft is removed at
/// once.
package struct OldStores: Sendable {
    /// The time in seconds for which a damaged database or a backup is kept.
    package static let retention: Double = 7 * 86_400

    /// The time in seconds after which a failed removal is tried again.
    private static let retryWait: Double = 86_400

    private let path: String

    /// `path`: the path of the database in use.
    package init(path: String) { self.path = path }

    /// The numbers of the damaged databases, ascending.
    package var numbers: [Int] {
        let name = Self.name(of: path)
        // If the folder cannot be listed, no database is reported.
        let files =
            (try? FileManager.default.contentsOfDirectory(atPath: Self.folder(of: path))) ?? []
        return files.compactMap { file in
            guard file.hasPrefix("\(name).damaged.") else { return nil }
            return Int(file.dropFirst(name.count + ".damaged.".count)).flatMap { $0 > 0 ? $0 : nil }
        }.sorted()
    }

    /// Returns when to call `removeOld` again after a call at `now`; `nil` if nothing is left.
    package func nextRemoval(after now: Date) -> Date? {
        all.compactMap { file in
            removalDate(of: file).map { $0 > now ? $0 : now.addingTimeInterval(Self.retryWait) }
        }.min()
    }

    /// The result of `removeOld`.
    package struct RemovalResult: Sendable, Hashable {
        /// The paths of the databases that were overwritten and removed.
        package var removed: [String] = []
        /// The paths of those that should have been removed, but are still there.
        package var failed: [String] = []

        package init(removed: [String] = [], failed: [String] = []) {
            (self.removed, self.failed) = (removed, failed)
        }
    }

    /// Overwrites and removes the databases that are old enough.
    package func removeOld(at now: Date) -> RemovalResult {
        var removal = RemovalResult()
        for file in all {
            guard let date = removalDate(of: file), date <= now else { continue }
            if remove(file) {
                removal.removed.append(file)
            } else {
                removal.failed.append(file)
            }
        }
        return removal
    }

    /// Overwrites and removes a database and the files beside it; returns whether all of them are
    /// gone.
    @discardableResult
    func remove(_ file: String) -> Bool {
        // The database is last: the files beside it are found by its name.
        let results = ["-wal", "-shm", "-journal", ".open", ""].map { wipe(file + $0) }
        return results.allSatisfy(\.self)
    }

    /// Overwrites and removes the log of the database in use, which must not be open.
    func removeLog() {
        for suffix in ["-wal", "-shm"] { wipe(path + suffix) }
    }

    /// Starts the time that a damaged database is kept; call it when the database was set aside.
    func noteSetAside(_ number: Int) { utimes(StoreFiles.damaged(number, of: path), nil) }

    private var all: [String] {
        numbers.map { StoreFiles.damaged($0, of: path) }
            + [StoreFiles.backup(of: path), StoreFiles.draft(of: path)]
    }

    /// `nil` if there is no such file.
    private func removalDate(of file: String) -> Date? {
        // A file that no longer exists has no date.
        let attributes = try? FileManager.default.attributesOfItem(atPath: file)
        guard let date = attributes?[.modificationDate] as? Date else { return nil }
        return file == StoreFiles.draft(of: path)
            ? .distantPast : date.addingTimeInterval(Self.retention)
    }

    /// Returns whether the file is gone.
    @discardableResult
    private func wipe(_ file: String) -> Bool {
        let descriptor = open(file, O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        if descriptor >= 0 {
            // The backup of an interrupted upgrade is the database in use itself.
            if !isUsed(file) { Self.overwrite(descriptor) }
            close(descriptor)
        }
        return unlink(file) == 0 || errno == ENOENT
    }

    /// Whether a file is the database in use, under another name.
    private func isUsed(_ file: String) -> Bool {
        guard let one = Self.identity(of: file), let used = Self.identity(of: path) else {
            return false
        }
        return one == used
    }

    /// The device and the inode of a file; `nil` if there is no such file.
    private static func identity(of file: String) -> [AnyHashable?]? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: file)
        return attributes.map { attributes in
            [.systemNumber, .systemFileNumber].map { attributes[$0] as? AnyHashable }
        }
    }

    private static func overwrite(_ descriptor: Int32) {
        let size = lseek(descriptor, 0, SEEK_END)
        let zeros = [UInt8](repeating: 0, count: 1 << 16)
        var offset: off_t = 0
        while offset < size {
            let count = pwrite(descriptor, zeros, min(zeros.count, Int(size - offset)), offset)
            guard count > 0 else { break }
            offset += off_t(count)
        }
        fsync(descriptor)
    }

    private static func folder(of path: String) -> String {
        path.pathFolder.isEmpty ? "." : path.pathFolder
    }

    private static func name(of path: String) -> String {
        path.pathNames.last.map(String.init) ?? path
    }
}
