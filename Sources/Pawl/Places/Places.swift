internal import Glibc
public import PawlCore
internal import PawlStorage
internal import SystemPackage

/// The standard folders for an application's files on this system, and operations on them.
///
/// They are defined by the XDG base directories and `user-dirs.dirs` on Linux, and by the system on
/// Apple's systems:
///
/// | place | Linux | Apple's systems |
/// | --- | --- | --- |
/// | documents | `XDG_DOCUMENTS_DIR`, otherwise `~/Documents` | `~/Documents` |
/// | caches | `XDG_CACHE_HOME`, otherwise `~/.cache` | `~/Library/Caches` |
/// | temporary | `TMPDIR`, otherwise `/tmp` | the same |
/// | preferences | `XDG_CONFIG_HOME`, otherwise `~/.config` | `~/Library/Preferences` |
/// | application support | `XDG_DATA_HOME`, otherwise `~/.local/share` | `~/Library/Application Support` |
/// | resources | `share` beside the `bin` that contains the program | `Contents/Resources` of the bundle |
/// | home | `HOME`, otherwise the home folder in the list of users | the same |
///
/// A variable is used only if it is an absolute path. Each application has its own folder there,
/// named after its identifier; only `home` and, on Apple's systems, `resources` are the folders
/// themselves. The resources of a program outside `bin` or a bundle are in the program's folder.
/// Only the user can access folders that are created.
///
/// ```swift
/// let places = Places(applicationIdentifier: "org.example.player")
/// let caches = try await places.folder(.caches)
/// try await caches.write(Array("hello".utf8), to: "greeting.txt")
/// print(try await caches.size())
/// ```
public final class Places: Sendable {
    /// The identifier that separates this application's folders from those of others.
    public let applicationIdentifier: String
    private let pool = BlockingPool(threads: 2, name: "pawl-files")

    /// Creates the value without accessing any folder.
    ///
    /// The identifier may be any text; its path-safe form is the folder's name. The default is the
    /// program's name.
    public init(applicationIdentifier: String? = nil) {
        self.applicationIdentifier = applicationIdentifier ?? OwnProgram.name
    }

    deinit { pool.shutDown() }

    /// Returns the absolute path of a place without creating it.
    ///
    /// - Throws: `DownloadError` with the code `.directoryNotUsable` if the system does not name
    ///   one.
    public func path(of place: Place) throws(DownloadError) -> String {
        try place.path(for: application).string
    }

    /// Returns the place's folder, which exists when this returns.
    ///
    /// Missing folders are created, except `home` and `resources`.
    ///
    /// - Throws: `DownloadError` with the code `.directoryNotUsable` if the folder cannot be
    ///   created, or files cannot be created in it. `home` and `resources` may be read-only.
    public func folder(_ place: Place) async throws(DownloadError) -> PlaceFolder {
        let application = application
        let path = try await pool.run { () throws(DownloadError) in
            let path = try place.prepared(for: application)
            if place.standard?.isCreatable != false {
                try FolderPreparation.prepare(path, mode: 0o700)
            }
            return path
        }
        return PlaceFolder(FileFolder(path), places: self)
    }

    /// Removes files of a place according to the policy: those that are too old, then the least
    /// recently used.
    ///
    /// Files that are in use are kept: those locked by a process, such as a running download.
    /// Folders and the targets of symbolic links are kept, too. Documents are never removed, even
    /// if they are within the cleaned folder.
    ///
    /// - Returns: What was removed and what is left.
    /// - Throws: `DownloadError`, with the code `.usage` for the documents, a folder within them, and
    ///   every other place whose files cannot be fetched again.
    @discardableResult
    public func clean(
        _ place: Place,
        _ policy: CleaningPolicy
    ) async throws(DownloadError) -> CleaningResult {
        let application = application
        return try await pool.run { () throws(DownloadError) in
            try CacheCleaner(place, for: application).clean(policy)
        }
    }

    /// Moves a file.
    ///
    /// If that fails, the file stays where it is.
    ///
    /// The new name appears with the complete file, even on another file system. Missing folders
    /// are created.
    ///
    /// - Throws: `DownloadError`, whose text names the file's path.
    @discardableResult
    public func moveFile(
        at source: String,
        to target: String,
        ifExists policy: ExistingFilePolicy = .rename
    ) async throws(DownloadError) -> RelocatedFile {
        let stop = CancellationToken()
        let file = try await cancellable { () async throws(DownloadError) in
            try await pool.run { () throws(DownloadError) in
                try FileMove(FilePath(source), to: FilePath(target), policy: policy)
                    .run(onPiece: stop.check)
            }
        } onCancel: {
            stop.cancel()
        }
        return RelocatedFile(file)
    }

    func run<T: Sendable>(
        _ work: @Sendable @escaping () throws(DownloadError) -> T
    ) async throws(DownloadError) -> T {
        try await pool.run(work)
    }

    private var application: StorageKey { StorageKey(applicationIdentifier) }
}
