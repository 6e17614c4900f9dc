internal import Glibc
internal import PawlCore
internal import PawlEngine
internal import PawlStorage
internal import Synchronization
internal import SystemPackage

/// Where the files of a session lie that have no place of their own.
///
/// They lie in the application's caches, on one file system: what is unfinished in a folder that all
/// its sessions share, where later ones find it, and what is finished in an area that goes with the
/// session, or with the next one after a crash. An ephemeral session has all of it in its area.
///
/// Its calls block.
final class TemporaryFiles: Sendable {
    private struct Folders {
        var area: TemporaryArea
        var unfinished: FilePath
    }

    /// So long what is unfinished waits for somebody who goes on with it.
    private static let lifetime: Duration = .seconds(7 * 24 * 3600)

    private let application: StorageKey
    private let directory: String?
    private let isEphemeral: Bool
    /// Of a background session: what the daemon has finished waits there until it was told of.
    private let background: StorageKey?
    private let folders = Mutex<Folders?>(nil)

    init(_ configuration: SessionConfiguration) {
        application = configuration.application
        directory = configuration.temporaryDirectory
        isEphemeral = configuration.kind == .ephemeral
        if case .background(let identifier) = configuration.kind {
            background = StorageKey(identifier)
        } else {
            background = nil
        }
    }

    /// Removes what dead sessions left; an ephemeral one makes its area, too.
    func begin() {
        // What cannot be made or cleaned now says so where it is needed.
        if isEphemeral { return _ = try? prepared() }
        for root in possibleRoots { TemporaryArea.removeAbandoned(in: root) }
    }

    /// Where areas may be; nothing is created.
    private var possibleRoots: [FilePath] {
        if let directory { return [FilePath(directory).absolute] }
        guard let places = try? SystemPlaces.current() else { return [] }
        let caches = try? places.path(of: .caches, for: application).appending(Self.folderName)
        let temporary = try? places.path(of: .temporary, for: application)
        return [caches, temporary].compactMap { $0 }
    }

    private static let folderName = "downloads"

    /// Where a temporary file is while it is unfinished: where it was left, or under a new name.
    func unfinished(_ data: ResumeData?) throws(DownloadError) -> String {
        let folder = try prepared().unfinished
        let left = data?.partialPath.flatMap { DownloadPaths(partialOrCheckpoint: FilePath($0)) }
        if let left, left.folder == folder { return left.final.string }
        let number = UInt64.random(in: .min ... .max)
        return folder.appending(String(number, radix: 16)).string
    }

    /// Where the daemon puts temporary files of the session; nothing is created.
    var backgroundFolder: String? {
        guard let background, let root = possibleRoots.first else { return nil }
        return root.appending("background").appending(background.fileName).string
    }

    /// Removes what earlier processes have left of tasks that are none of these.
    ///
    /// `first`: the first number that this process has given to a task.
    func sweepBackground(keeping numbers: Set<Int>, before first: Int) {
        guard let folder = backgroundFolder else { return }
        let files = FileFolder(FilePath(folder))
        for name in (try? files.names()) ?? [] {
            // Somebody may have resume data of what is unfinished, or go on with it already.
            guard DownloadPaths(partialOrCheckpoint: FilePath(name)) == nil,
                let number = Int(name.prefix { $0 != "." }), number < first,
                !numbers.contains(number)
            else { continue }
            // What cannot be removed now is looked at by the next process.
            _ = try? files.delete(name)
        }
        guard numbers.isEmpty else { return }
        // The same for what is old.
        _ = try? CacheCleaner(FilePath(folder), documents: nil).clean(
            CleaningPolicy(maximumAge: Self.lifetime)
        )
    }

    /// Notes to where a finished file of the daemon's goes, before and after it does.
    func noteMove(of number: Int, to path: String) throws(DownloadError) {
        guard let folder = backgroundFolder else { return }
        try FileFolder(FilePath(folder)).write(Array(path.utf8), to: Self.moveNote(number))
    }

    /// To where an earlier process has moved a finished file; nil where it is still there, or is not
    /// found.
    func moved(_ file: DownloadedFile, of number: Int) -> String? {
        guard access(file.path, F_OK) != 0, let folder = backgroundFolder,
            let bytes = try? FileFolder(FilePath(folder)).read(
                Self.moveNote(number),
                limit: 64 << 10
            )
        else { return nil }
        let path = FilePath(String(decoding: bytes, as: UTF8.self))
        // One of that name may have been somebody else's.
        let size = try? FileFolder(path.removingLastComponent()).size(
            of: path.lastComponent?.string ?? ""
        )
        return size == file.byteCount ? path.string : nil
    }

    private static func moveNote(_ number: Int) -> String { "\(number).moved" }

    /// Makes that folder.
    func prepareBackground() throws(DownloadError) -> String {
        _ = try root()
        guard let folder = backgroundFolder else {
            throw DownloadError(.directoryNotUsable, "there is no folder for temporary files")
        }
        try FolderPreparation.prepare(FilePath(folder), mode: 0o700)
        return folder
    }

    /// Takes a finished file among those that go with the session.
    func take(_ file: String, as name: String) throws(DownloadError) -> String {
        try prepared().area.take(FilePath(file), as: name).string
    }

    /// Makes the folders, and removes what dead sessions left.
    func prepare() throws(DownloadError) { _ = try prepared() }

    /// What is unfinished of this goes with the session.
    ///
    /// It blocks shortly where the folders are prepared.
    func adopt(_ store: PartialStore, as name: String) {
        // Where there is no area nothing is noted, as on a full disk.
        try? prepared().area.adopt(store, as: name)
    }

    /// It is finished.
    func release(_ name: String) { folders.withLock { $0?.area }?.release(name) }

    /// Removes what is the session's own.
    func remove() throws(DownloadError) { try folders.withLock { $0?.area }?.remove() }

    private func prepared() throws(DownloadError) -> Folders {
        try folders.withLock { (folders) throws(DownloadError) -> Folders in
            if let folders { return folders }
            let root = try root()
            let area = try TemporaryArea.make(in: root)
            var unfinished = area.path
            if !isEphemeral {
                unfinished = root.appending("unfinished")
                try FolderPreparation.prepare(unfinished, mode: 0o700)
                // A convenience: what cannot be cleaned now is cleaned by another session.
                _ = try? CacheCleaner(unfinished, documents: nil).clean(
                    CleaningPolicy(maximumAge: Self.lifetime)
                )
            }
            let made = Folders(area: area, unfinished: unfinished)
            folders = made
            return made
        }
    }

    private func root() throws(DownloadError) -> FilePath {
        if let directory {
            let path = FilePath(directory).absolute
            try FolderPreparation.prepare(path, mode: 0o700)
            return path
        }
        let places = try SystemPlaces.current()
        do throws(DownloadError) {
            let path = try places.prepare(.caches, for: application).appending(Self.folderName)
            try FolderPreparation.prepare(path, mode: 0o700)
            return path
        } catch  where error.code == .directoryNotUsable {
            // A service without a home.
            return try places.prepare(.temporary, for: application)
        }
    }
}
