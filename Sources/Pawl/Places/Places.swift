internal import Glibc
public import PawlCore
internal import PawlStorage
internal import SystemPackage

/// Where an application's files belong on this system, and what can be done with them there.
///
/// On Linux the XDG base directories and `user-dirs.dirs` say it, on macOS the system:
///
/// | place | Linux | macOS |
/// | --- | --- | --- |
/// | documents | `XDG_DOCUMENTS_DIR`, else `~/Documents` | `~/Documents` |
/// | caches | `XDG_CACHE_HOME`, else `~/.cache` | `~/Library/Caches` |
/// | temporary | `TMPDIR`, else `/tmp` | the same |
///
/// Each application has a folder of its own there, named after its identifier; folders that are created
/// are the user's alone.
///
/// ```swift
/// let places = Places(applicationIdentifier: "org.example.player")
/// let caches = try await places.folder(.caches)
/// try await caches.write(Array("hello".utf8), to: "greeting.txt")
/// print(try await caches.size())
/// ```
public final class Places: Sendable {
    /// Tells this application's folders from those of others.
    public let applicationIdentifier: String
    private let pool = BlockingPool(threads: 2, name: "pawl-files")

    /// Looks at nothing yet.
    ///
    /// The identifier may be any text; its path-safe form is the folder's name. By default it is the
    /// program's name.
    public init(applicationIdentifier: String? = nil) {
        self.applicationIdentifier = applicationIdentifier ?? OwnProgram.name
    }

    deinit { pool.shutDown() }

    /// The absolute path of a place; nothing is created.
    ///
    /// - Throws: `DownloadError` with the code `.directoryNotUsable` where the system does not say.
    public func path(of place: Place) throws(DownloadError) -> String {
        guard let standard = place.standard else { return Self.named(place).string }
        return try SystemPlaces.current().path(of: standard, for: application).string
    }

    /// The place's folder, which is there when this returns: also those above it are created.
    ///
    /// - Throws: `DownloadError`.
    public func folder(_ place: Place) async throws(DownloadError) -> PlaceFolder {
        let application = application
        let path = try await pool.run { () throws(DownloadError) in
            guard let standard = place.standard else {
                let path = Self.named(place)
                try FolderPreparation.prepare(path, mode: 0o700)
                return path
            }
            return try SystemPlaces.current().prepare(standard, for: application)
        }
        return PlaceFolder(FileFolder(path), places: self)
    }

    /// Removes files of a place as the policy says: too old ones, and then the least recently used.
    ///
    /// Files that are in use stay: those that a process has locked, as running downloads have. So do
    /// folders, and all that symbolic links lead to. Documents are never touched, also not where they
    /// lie within the folder that is cleaned.
    ///
    /// - Returns: Exactly what was removed and what is left.
    /// - Throws: `DownloadError`; with the code `.usage` for the documents or a folder within them.
    @discardableResult
    public func clean(
        _ place: Place,
        _ policy: CleaningPolicy
    ) async throws(DownloadError) -> CleaningResult {
        guard place != .documents else {
            throw DownloadError(
                .usage,
                "the documents are never cleaned",
                advice: "clean the caches, or remove single files"
            )
        }
        let path = FilePath(try path(of: place))
        let application = application
        return try await pool.run { () throws(DownloadError) in
            // On a system without documents there are none to protect.
            let documents = try? SystemPlaces.current().path(of: .documents, for: application)
            let cleaner = CacheCleaner(path, documents: documents?.removingLastComponent())
            return try cleaner.clean(policy)
        }
    }

    /// Moves a file, and keeps it where it is if that fails.
    ///
    /// The new name appears with the whole file, on another file system too; folders that are missing
    /// are created.
    ///
    /// - Throws: `DownloadError`, whose text says where the file is.
    @discardableResult
    public func moveFile(
        at source: String,
        to target: String,
        ifExists policy: ExistingFilePolicy = .rename
    ) async throws(DownloadError) -> RelocatedFile {
        let stop = MoveStop()
        let result = await withTaskCancellationHandler {
            await move(source, target, policy, stop)
        } onCancel: {
            stop.set()
        }
        return try result.get()
    }

    private func move(
        _ source: String,
        _ target: String,
        _ policy: ExistingFilePolicy,
        _ stop: MoveStop
    ) async -> Result<RelocatedFile, DownloadError> {
        do throws(DownloadError) {
            let file = try await pool.run { () throws(DownloadError) in
                let move = FileMove(FilePath(source), to: FilePath(target), policy: policy)
                return try move.run { () throws(DownloadError) in try stop.check() }
            }
            return .success(RelocatedFile(file))
        } catch {
            return .failure(error)
        }
    }

    func run<T: Sendable>(
        _ work: @Sendable @escaping () throws(DownloadError) -> T
    ) async throws(DownloadError) -> T {
        try await pool.run(work)
    }

    private var application: StorageKey { StorageKey(applicationIdentifier) }

    private static func named(_ place: Place) -> FilePath {
        guard case .directory(let path) = place else { return "." }
        return FilePath(path.isEmpty ? "." : path)
    }
}
