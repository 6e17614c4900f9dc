internal import Glibc
internal import PawlCore
internal import PawlEngine
internal import PawlStorage
internal import Synchronization
internal import SystemPackage

/// The files of a session's tasks that have no destination.
///
/// They are in the application's caches, on one file system. Unfinished files are in a folder that
/// all its sessions share, where later ones find them. Finished files are in an area that is
/// removed with the session, or by the next one after a crash. An ephemeral session has all of them
/// in its area.
///
/// Its calls block.
final class TemporaryFiles: Sendable {
    private struct Folders {
        var area: TemporaryArea
        var unfinished: FilePath
    }

    /// How long unfinished files are kept to be resumed.
    private static let lifetime: Duration = .seconds(7 * 24 * 3600)

    private let application: StorageKey
    private let directory: String?
    private let isEphemeral: Bool
    /// For a background session: the folder where the daemon's finished files stay until their end
    /// was reported.
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

    /// Removes files that ended sessions left.
    ///
    /// For an ephemeral session, creates its area, too.
    func begin() {
        // If the area cannot be created or cleaned now, the error is reported when it is needed.
        if isEphemeral { return _ = try? prepared() }
        for root in possibleRoots { TemporaryArea.removeAbandoned(in: root) }
    }

    /// The folders that can contain areas; nothing is created.
    private var possibleRoots: [FilePath] {
        if let directory { return [FilePath(directory).absolute] }
        guard let places = try? SystemPlaces.current() else { return [] }
        let caches = try? places.path(of: .caches, for: application).appending(Self.folderName)
        let temporary = try? places.path(of: .temporary, for: application)
        return [caches, temporary].compactMap { $0 }
    }

    private static let folderName = "downloads"

    /// Returns the path of an unfinished temporary file: its earlier path, or a new one.
    func unfinished(_ data: ResumeData?) throws(DownloadError) -> String {
        let folder = try prepared().unfinished
        let left = data?.partialPath.flatMap { DownloadPaths(partialOrCheckpoint: FilePath($0)) }
        if let left, left.folder == folder { return left.final.string }
        let number = UInt64.random(in: .min ... .max)
        return folder.appending(String(number, radix: 16)).string
    }

    /// The folder where the daemon puts temporary files of the session; nothing is created.
    var backgroundFolder: String? {
        guard let background, let root = possibleRoots.first else { return nil }
        return root.appending("background").appending(background.fileName).string
    }

    /// Removes files that earlier processes have left, except those of the given tasks.
    ///
    /// `first` is the first number that this process has given to a task.
    func sweepBackground(keeping numbers: Set<Int>, before first: Int) {
        guard let folder = backgroundFolder else { return }
        let files = FileFolder(FilePath(folder))
        for name in (try? files.names()) ?? [] {
            // Somebody may have resume data of the unfinished file, or use it already.
            guard DownloadPaths(partialOrCheckpoint: FilePath(name)) == nil,
                let number = Int(name.prefix { $0 != "." }), number < first,
                !numbers.contains(number)
            else { continue }
            // A file that cannot be removed now is left to the next process.
            _ = try? files.delete(name)
        }
        guard numbers.isEmpty else { return }
        // The same applies to old files.
        _ = try? CacheCleaner(FilePath(folder), documents: nil).clean(
            CleaningPolicy(maximumAge: Self.lifetime)
        )
    }

    /// Records the path to which a finished file of the daemon is moved, before and after the move.
    func noteMove(of number: Int, to path: String) throws(DownloadError) {
        guard let folder = backgroundFolder else { return }
        try FileFolder(FilePath(folder)).write(Array(path.utf8), to: Self.moveNote(number))
    }

    /// Returns the path to which an earlier process has moved a finished file; `nil` if it was not
    /// moved or is not found.
    func moved(_ file: DownloadedFile, of number: Int) -> String? {
        guard access(file.path, F_OK) != 0, let folder = backgroundFolder,
            let bytes = try? FileFolder(FilePath(folder)).read(
                Self.moveNote(number),
                limit: 64 << 10
            )
        else { return nil }
        let path = FilePath(String(decoding: bytes, as: UTF8.self))
        // A file of that name may belong to somebody else.
        let size = try? FileFolder(path.removingLastComponent()).size(
            of: path.lastComponent?.string ?? ""
        )
        return size == file.byteCount ? path.string : nil
    }

    private static func moveNote(_ number: Int) -> String { "\(number).moved" }

    /// Creates that folder.
    func prepareBackground() throws(DownloadError) -> String {
        _ = try root()
        guard let folder = backgroundFolder else {
            throw DownloadError(.directoryNotUsable, "there is no folder for temporary files")
        }
        try FolderPreparation.prepare(FilePath(folder), mode: 0o700)
        return folder
    }

    /// Moves a finished file to those that are removed with the session.
    func take(_ file: String, as name: String) throws(DownloadError) -> String {
        try prepared().area.take(FilePath(file), as: name).string
    }

    /// Creates the folders, and removes files that ended sessions left.
    func prepare() throws(DownloadError) { _ = try prepared() }

    /// Marks unfinished files to be removed with the session.
    ///
    /// It blocks briefly while the folders are prepared.
    func adopt(_ store: PartialStore, as name: String) {
        // If there is no area, as on a full disk, nothing is recorded.
        try? prepared().area.adopt(store, as: name)
    }

    /// Removes the mark of a finished file.
    func release(_ name: String) { folders.withLock { $0?.area }?.release(name) }

    /// Removes the session's own files.
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
                // This is optional: files that cannot be removed now are left to another session.
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
            let path = FilePath(try FilePath(directory).absoluteText())
            try FolderPreparation.prepare(path, mode: 0o700)
            return path
        }
        let places = try SystemPlaces.current()
        do throws(DownloadError) {
            let path = try places.prepare(.caches, for: application).appending(Self.folderName)
            try FolderPreparation.prepare(path, mode: 0o700)
            return path
        } catch  where error.code == .directoryNotUsable {
            // This is a service without a home folder.
            return try places.prepare(.temporary, for: application)
        }
    }
}
