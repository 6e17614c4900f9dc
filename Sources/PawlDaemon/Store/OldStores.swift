package import FoundationEssentials
internal import Glibc

/// The databases beside the one that is used: those set aside as damaged, the backup of an upgrade, and
/// the draft that an interrupted upgrade left.
///
/// They hold requests with their secrets. What can be read of a damaged one is taken over at once; it and
/// the backup stay for some days, and no longer. A draft is of no use.
package struct OldStores: Sendable {
    /// How long a damaged database or a backup stays, in seconds.
    package static let patience: Double = 7 * 86_400

    /// How long after a removal that failed the next one is tried, in seconds.
    private static let retryWait: Double = 86_400

    private let path: String

    /// `path`: that of the database that is used.
    package init(path: String) { self.path = path }

    /// The numbers of the damaged databases, ascending.
    package var numbers: [Int] {
        let name = Self.name(of: path)
        // A folder that cannot be listed has none that could be named.
        let files =
            (try? FileManager.default.contentsOfDirectory(atPath: Self.folder(of: path))) ?? []
        return files.compactMap { file in
            guard file.hasPrefix("\(name).damaged.") else { return nil }
            return Int(file.dropFirst(name.count + ".damaged.".count)).flatMap { $0 > 0 ? $0 : nil }
        }.sorted()
    }

    /// When `removeOld` is to be called again after it was called at `now`; `nil` if nothing is left.
    package func nextRemoval(after now: Date) -> Date? {
        all.compactMap { file in
            removalDate(of: file).map { $0 > now ? $0 : now.addingTimeInterval(Self.retryWait) }
        }.min()
    }

    /// What `removeOld` has done.
    package struct Removal: Sendable, Hashable {
        /// The paths of the databases that were overwritten and removed.
        package var removed: [String] = []
        /// The paths of those that should have been removed, but are still there.
        package var failed: [String] = []

        package init(removed: [String] = [], failed: [String] = []) {
            (self.removed, self.failed) = (removed, failed)
        }
    }

    /// Overwrites and removes the databases that have been there for long enough.
    package func removeOld(at now: Date) -> Removal {
        var removal = Removal()
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

    /// Overwrites and removes a database and the files beside it; returns whether all of them are gone.
    @discardableResult
    func remove(_ file: String) -> Bool {
        // The database last: what is beside it is found by its name.
        let results = ["-wal", "-shm", "-journal", ""].map { wipe(file + $0) }
        return results.allSatisfy(\.self)
    }

    /// To be called when it was set aside: from then on it counts.
    func noteSetAside(_ number: Int) { utimes(StoreFiles.damaged(number, of: path), nil) }

    private var all: [String] {
        numbers.map { StoreFiles.damaged($0, of: path) }
            + [StoreFiles.backup(of: path), StoreFiles.draft(of: path)]
    }

    /// `nil` if there is no such file.
    private func removalDate(of file: String) -> Date? {
        // One that has gone meanwhile needs no time.
        let attributes = try? FileManager.default.attributesOfItem(atPath: file)
        guard let date = attributes?[.modificationDate] as? Date else { return nil }
        return file == StoreFiles.draft(of: path)
            ? .distantPast : date.addingTimeInterval(Self.patience)
    }

    /// Returns whether the file is gone.
    private func wipe(_ file: String) -> Bool {
        let descriptor = open(file, O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        if descriptor >= 0 {
            // An upgrade that was interrupted leaves a backup that is the used database itself.
            if !isUsed(file) { Self.overwrite(descriptor) }
            close(descriptor)
        }
        return unlink(file) == 0 || errno == ENOENT
    }

    /// Whether it is the database that is used, under another name.
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
        path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    }

    private static func name(of path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }
}
