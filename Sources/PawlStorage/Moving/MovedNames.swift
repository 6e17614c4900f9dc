internal import Glibc
internal import PawlCore
package import SystemPackage
package import struct FoundationEssentials.URL

/// The names that a file may have in the folder into which it is moved: its own, and the same with
/// other numbers.
///
/// Several processes may have fetched the same file, and move it at once. They search and take the
/// names in turn, under the lock of the folder, and none of them removes a file that is already in
/// the folder. Bytes are compared without the lock (`EqualFileSearch`).
///
/// Its calls block.
package struct MovedNames: Sendable {
    /// The number of free names that a search passes over at the beginning.
    ///
    /// Downloads of one folder have different numbers, and may be moved in any order.
    private static let firstNames = 8
    private static let longestWait = Duration.seconds(10)

    private let target: FilePath

    /// Creates the names of a file that is moved to `target`.
    package init(_ target: FilePath) { self.target = target }

    /// Returns the file of this size that Pawl has fetched from one of these URLs, and nobody has
    /// changed since; `nil` if there is none.
    package func find(size: Int64, of urls: [URL]) -> FilePath? {
        whileLocked {
            // The newest of several versions has the highest number.
            taken.last { path in
                // A file without a status is not there.
                (try? path.status())?.size == size && RepresentationMark.isUnchanged(path, of: urls)
            }
        }
    }

    /// Returns the files of this size that Pawl has fetched from one of these URLs, and nobody has
    /// changed since.
    func candidates(size: Int64, of urls: [URL]) -> [(
        path: FilePath, file: OpenFile, stamp: FileStamp
    )] {
        taken.compactMap { path in
            guard RepresentationMark.isUnchanged(path, of: urls),
                // A file that cannot be read counts as another one.
                let found = ExistingFile.candidate(at: path, total: size)
            else { return nil }
            return (path, found.file, found.stamp)
        }
    }

    /// Runs `body` while the folder is locked.
    ///
    /// On a file system without locks, and if another program has locked the folder for too long, it
    /// is done without the lock: several processes may then keep one file each.
    func whileLocked<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let folder = try? OpenFile(target.folder, O_RDONLY | O_DIRECTORY)
        // Without the lock, there may be two files, which is no error.
        if let folder { _ = try? FileLock.tryToTake(folder, waitingAtMost: Self.longestWait) }
        defer { folder?.unlock() }
        return try body()
    }

    /// The names that files have, by their numbers; those with a number beside the target's own come
    /// first.
    private var taken: [FilePath] {
        var names = Self.taken(numbersOf: target)
        if let name = target.lastComponent?.string, let base = FileName.withoutNumber(name)?.name {
            names += Self.taken(numbersOf: target.folder.appending(base))
        }
        return names
    }

    private static func taken(numbersOf path: FilePath) -> [FilePath] {
        var names: [FilePath] = []
        _ = FreeName.search { (number) -> Bool? in
            let name = path.numbered(number)
            // A file without a status is not there.
            guard (try? name.status()) == nil else {
                names.append(name)
                return nil
            }
            return number < firstNames ? nil : true
        }
        return names
    }
}
