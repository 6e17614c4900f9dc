internal import Glibc
package import PawlCore
package import SystemPackage
package import struct FoundationEssentials.URL

/// A file with the same bytes as another one, which a second process has fetched from the same URLs
/// and has moved into the same folder.
///
/// Its calls block.
package struct MovedDuplicate: Sendable {
    package let path: FilePath
    package let stamp: FileStamp

    /// Removes a file that was just moved if its folder has another one with the same bytes, whose name
    /// differs only in its number, which is lower, and which Pawl has fetched from one of these URLs.
    ///
    /// Returns that one; `nil` if the file stays. Of several processes that call this at once, the one
    /// whose file has the lowest number keeps it: a search for a moved file ends at the first number
    /// that is free. On a file system without locks, and if the lock is held for too long, all keep
    /// theirs.
    package static func remove(_ file: FilePath, of urls: [URL]) -> MovedDuplicate? {
        guard !lower(than: file).isEmpty,
            // If something fails, the second copy stays, which is no error.
            let folder = try? OpenFile(file.folder, O_RDONLY | O_DIRECTORY), lock(folder)
        else { return nil }
        defer { folder.unlock() }
        guard let own = try? OpenFile(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK),
            let status = try? own.status(), status.isRegular,
            let other = find(of: own, status, at: file, urls),
            (try? file.status())?.identity == status.identity,
            (try? file.removeFile()) != nil
        else { return nil }
        return other
    }

    /// Locks the folder of the files; returns whether it did.
    ///
    /// It gives up after a time, because another program may have locked the folder.
    private static func lock(_ folder: OpenFile) -> Bool {
        let deadline = ContinuousClock.now + .seconds(10)
        while .now < deadline {
            switch try? FileLock.tryToTake(folder) {
            case .taken: return true
            case .held: usleep(20_000)
            case .notSupported, nil: return false
            }
        }
        return false
    }

    private static func find(
        of own: OpenFile,
        _ status: FileStatus,
        at file: FilePath,
        _ urls: [URL]
    ) -> MovedDuplicate? {
        for path in lower(than: file) {
            guard RepresentationMark.isUnchanged(path, of: urls),
                let other = ExistingFile.candidate(at: path, total: status.size),
                (try? ExistingFile.haveSameBytes(own, other.file, status.size)) == true
            else { continue }
            return MovedDuplicate(path: path, stamp: other.stamp)
        }
        return nil
    }

    /// The files beside a file whose names differ only in their numbers, which are lower, the lowest
    /// first.
    private static func lower(than file: FilePath) -> [FilePath] {
        guard let name = file.lastComponent?.string,
            let (base, number) = FileName.withoutNumber(name)
        else { return [] }
        let paths = (0..<min(number, FreeName.limit)).map {
            file.folder.appending(FileName.numbered(base, $0))
        }
        // A file without a status is not there.
        return paths.filter { (try? $0.status()) != nil }
    }
}
