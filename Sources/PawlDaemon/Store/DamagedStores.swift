package import FoundationEssentials
internal import Glibc

/// The databases that were set aside as damaged, with what is beside each.
///
/// They hold requests with their secrets. What can be read of one is taken over at once; it stays for some
/// days for those who miss something, and no longer.
package struct DamagedStores: Sendable {
    /// How long one stays, in seconds.
    package static let patience: Double = 7 * 86_400

    private let path: String

    /// `path`: that of the database that is used.
    package init(path: String) { self.path = path }

    /// The numbers that are there, ascending.
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

    /// When the next one is to go; nil where there is none.
    package var nextRemoval: Date? {
        numbers.compactMap(setAsideAt).min()?.addingTimeInterval(Self.patience)
    }

    /// Overwrites and removes those that have been there for long enough; returns their paths.
    package func removeOld(at now: Date) -> [String] {
        numbers.filter { number in
            guard let date = setAsideAt(number) else { return false }
            return date.addingTimeInterval(Self.patience) <= now
        }.map { number in
            let damaged = StoreFiles.damaged(number, of: path)
            // The database last: what is beside it is found by its name.
            for suffix in ["-wal", "-shm", ""] { Self.wipe(damaged + suffix) }
            return damaged
        }
    }

    /// To be called when it was set aside: from then on it counts.
    func noteSetAside(_ number: Int) { utimes(StoreFiles.damaged(number, of: path), nil) }

    private func setAsideAt(_ number: Int) -> Date? {
        let damaged = StoreFiles.damaged(number, of: path)
        // One that has gone meanwhile needs no time.
        let attributes = try? FileManager.default.attributesOfItem(atPath: damaged)
        return attributes?[.modificationDate] as? Date
    }

    private static func wipe(_ path: String) {
        let file = open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        if file >= 0 {
            let size = lseek(file, 0, SEEK_END)
            let zeros = [UInt8](repeating: 0, count: 1 << 16)
            var offset: off_t = 0
            while offset < size {
                let count = pwrite(file, zeros, min(zeros.count, Int(size - offset)), offset)
                guard count > 0 else { break }
                offset += off_t(count)
            }
            fsync(file)
            close(file)
        }
        unlink(path)
    }

    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    }

    private static func name(of path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }
}
