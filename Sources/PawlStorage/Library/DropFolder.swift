internal import Glibc
package import PawlCore
package import SystemPackage

/// A folder into which others put files with URLs.
///
/// What was taken is moved to `taken` within it, what makes no sense to `rejected`, with the reason in a
/// file beside it.
package struct DropFolder: Sendable {
    package static let taken = "taken"
    package static let rejected = "rejected"
    // `fcntl(2)`: these are behind _GNU_SOURCE.
    private static let setSignal: Int32 = 10
    private static let setLease: Int32 = 1024

    private let folder: FilePath

    package init(_ folder: FilePath) { self.folder = folder }

    /// What the files are now; nil where there is none.
    package func look(at names: [String]) -> [String: DropSettling.Look?] {
        // A folder that cannot be read has nothing that could be taken.
        let stamps = (try? FolderSnapshot.look(at: names, in: folder)) ?? [:]
        return names.reduce(into: [:]) { looks, name in
            looks[name] = .some(
                stamps[name].map { DropSettling.Look(stamp: $0, hasWriter: hasWriter(name)) }
            )
        }
    }

    /// All bytes of a file; nil where another process took it meanwhile.
    package func read(_ name: String) throws(DownloadError) -> [UInt8]? {
        do throws(DownloadError) {
            return try FileFolder(folder).read(
                name,
                limit: DropList.longestFile,
                followsLinks: false
            )
        } catch {
            guard try FileFolder(folder).exists(name) else { return nil }
            throw error
        }
    }

    /// Its downloads have begun.
    ///
    /// False where another process was faster.
    @discardableResult
    package func take(_ name: String) throws(DownloadError) -> Bool {
        try move(name, to: Self.taken) != nil
    }

    /// It makes no sense.
    @discardableResult
    package func reject(_ name: String, _ reason: String) throws(DownloadError) -> Bool {
        guard let moved = try move(name, to: Self.rejected) else { return false }
        let place = moved.shortenedStem.appending(suffix: ".reason")
        try FileFolder(moved.folder).write(
            Array("\(reason)\n".utf8),
            to: place.lastComponent?.string ?? name
        )
        return true
    }

    private func move(_ name: String, to place: String) throws(DownloadError) -> FilePath? {
        let source = try FileFolder(folder).resolve(name)
        let target = try FileFolder(folder).resolve("\(place)/\(name)")
        try FolderPreparation.prepare(target.folder)
        for number in 0..<10_000 {
            let path =
                number == 0
                ? target
                : target.folder.appending(
                    FileName.numbered(name, number)
                )
            do throws(Errno) {
                try Renaming.withoutReplacing(source, path)
                return path
            } catch .fileExists {
                continue
            } catch .noSuchFileOrDirectory {
                return nil
            } catch {
                throw DownloadError(error, while: .rename, path)
            }
        }
        throw DownloadError(.fileExists, while: .rename, target)
    }

    /// Whether somebody has it open for writing: then the kernel gives no lease for reading.
    ///
    /// Nil where the file system or the file's owner forbid to ask.
    private func hasWriter(_ name: String) -> Bool? {
        guard let path = try? FileFolder(folder).resolve(name),
            let file = try? OpenFile(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        else { return nil }
        // Whoever opens it meanwhile makes the kernel send a signal: one that nobody minds.
        guard fcntl(file.descriptor, Self.setSignal, SIGURG) == 0 else { return nil }
        guard fcntl(file.descriptor, Self.setLease, Int32(F_RDLCK)) == 0 else {
            return errno == EAGAIN ? true : nil
        }
        _ = fcntl(file.descriptor, Self.setLease, Int32(F_UNLCK))
        return false
    }
}
