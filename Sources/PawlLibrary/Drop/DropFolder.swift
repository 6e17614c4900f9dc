internal import Glibc
package import PawlCore
internal import PawlStorage
package import SystemPackage

/// A folder into which others put files with URLs.
///
/// Used files are moved to `taken` within it. Invalid files are moved to `rejected`, with the
/// reason in a file beside them.
package struct DropFolder: Sendable {
    package static let taken = "taken"
    package static let rejected = "rejected"
    // `fcntl(2)`: these need _GNU_SOURCE.
    private static let setSignal: Int32 = 10
    private static let setLease: Int32 = 1024

    private let folder: FilePath

    package init(_ folder: FilePath) { self.folder = folder }

    /// Returns the current state of the files; `nil` for one that does not exist.
    package func check(_ names: [ExactText]) -> [ExactText: DropSettling.Check?] {
        // A folder that cannot be read contains nothing to take.
        let stamps = (try? FolderSnapshot.check(names, in: folder)) ?? [:]
        return names.reduce(into: [:]) { checks, name in
            checks[name] = .some(
                stamps[name].map { DropSettling.Check(stamp: $0, hasWriter: hasWriter(name)) }
            )
        }
    }

    /// Returns all bytes of a file; `nil` if another process has taken it meanwhile.
    package func read(_ name: ExactText) throws(DownloadError) -> [UInt8]? {
        do throws(DownloadError) {
            return try FileFolder(folder).read(
                name.text,
                limit: DropList.longestFile,
                followsLinks: false
            )
        } catch {
            guard try FileFolder(folder).exists(name.text) else { return nil }
            throw error
        }
    }

    /// Moves a file whose downloads have begun.
    ///
    /// Returns `false` if another process was faster.
    @discardableResult
    package func take(_ name: ExactText) throws(DownloadError) -> Bool {
        try move(name, to: Self.taken) != nil
    }

    /// Moves a file that is not valid.
    @discardableResult
    package func reject(_ name: ExactText, _ reason: String) throws(DownloadError) -> Bool {
        guard let moved = try move(name, to: Self.rejected) else { return false }
        let reasonFile = moved.shortenedStem.appending(suffix: ".reason")
        try FileFolder(moved.folder).write(
            Array("\(reason)\n".utf8),
            to: reasonFile.lastComponent?.string ?? name.text
        )
        return true
    }

    private func move(_ name: ExactText, to subfolder: String) throws(DownloadError) -> FilePath? {
        let source = try FileFolder(folder).resolve(name.text)
        let target = try FileFolder(folder).resolve("\(subfolder)/\(name)")
        try FolderPreparation.prepare(target.folder)
        do throws(Errno) {
            return try target.firstFree { (path) throws(Errno) in
                try Renaming.withoutReplacing(source, path)
            }
        } catch .noSuchFileOrDirectory {
            return nil
        } catch {
            throw DownloadError(error, while: .rename, target)
        }
    }

    /// Whether the file is open for writing.
    ///
    /// In that case, the kernel grants no lease for reading.
    ///
    /// Returns `nil` if the file system or the file's owner does not allow this check.
    private func hasWriter(_ name: ExactText) -> Bool? {
        guard let path = try? FileFolder(folder).resolve(name.text),
            let file = try? OpenFile(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        else { return nil }
        // If another process opens the file meanwhile, the kernel sends this signal, which has no
        // effect.
        guard fcntl(file.descriptor, Self.setSignal, SIGURG) == 0 else { return nil }
        guard fcntl(file.descriptor, Self.setLease, Int32(F_RDLCK)) == 0 else {
            return errno == EAGAIN ? true : nil
        }
        _ = fcntl(file.descriptor, Self.setLease, Int32(F_UNLCK))
        return false
    }
}
