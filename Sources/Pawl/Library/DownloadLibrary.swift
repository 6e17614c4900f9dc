public import PawlCore
internal import PawlEngine
internal import PawlStorage
internal import Synchronization
internal import SystemPackage

/// Files by keys of your own: fetched once, kept in a folder, found again by whoever opens it.
///
/// ```swift
/// let library = try await DownloadLibrary(folder: .caches, named: "covers")
/// let file = try await library.file(for: "album-17", from: url)
/// print(file.path)
/// ```
///
/// One download a key: who asks for a key that is being fetched joins, who asks for a finished one gets
/// its file, and a paused one goes on. There may be as many libraries as you like, also several over one
/// folder, in one process or in many.
public final class DownloadLibrary: Sendable {
    /// The folder, with all that can be done with files in it by their names.
    public let folder: PlaceFolder
    let keeper: LibraryKeeper

    /// Opens the library of a folder, which is made where it is not there.
    ///
    /// What is in it is found by what is kept with the files; none of their bytes is read. Downloads
    /// that another process left are there as paused ones. `named` is a folder within the place; of the
    /// place `.temporary` all is gone with the library.
    ///
    /// - Throws: `DownloadError` with the code `.directoryNotUsable` where the folder cannot be used,
    ///   `.usage` where it is its own drop folder, or its session is one in the background.
    public init(
        folder place: Place,
        named name: String? = nil,
        configuration: LibraryConfiguration = LibraryConfiguration()
    ) async throws(DownloadError) {
        if case .background = configuration.session.kind { throw Self.notInBackground }
        let session = DownloadSession(configuration.session)
        let found = try await session.engine.disk.run { () throws(DownloadError) in
            try LibraryPlace(place, named: name, of: configuration.session.application)
        }
        let places = Places(applicationIdentifier: configuration.session.applicationIdentifier)
        folder = PlaceFolder(FileFolder(found.path), places: places)
        let keeper = LibraryKeeper(found.path, configuration, session, area: found.area)
        self.keeper = keeper
        let (watcher, stamps) = try await keeper.beginWatching()
        try await keeper.load(stamps)
        let drop = try await keeper.beginDropping()
        Task { await keeper.run(watcher, drop) }
    }

    deinit { keeper.close() }

    /// A key's lock dies with its process, and the daemon knows no keys.
    private static let notInBackground = DownloadError(
        .usage,
        "a library cannot run its downloads in a background session",
        advice:
            "give it the kind .default: what a process leaves unfinished, the next one that opens the "
            + "library goes on with; what must go on without any process is a download task of a "
            + "background session"
    )

    /// What happens from now on, for one reader; take another one for each.
    ///
    /// The first reader gets what was found damaged when the library was opened, too.
    public var events: LibraryEvents { LibraryEvents(feed: keeper.makeFeed()) }

    /// Ends the library: what runs is paused and kept.
    ///
    /// So does letting it go; this waits until it is done.
    public func close() async {
        keeper.close()
        await keeper.ended.waitInAnyCase()
    }

    /// Throws where the folder lies in the documents, which are never cleaned.
    func requireCleanable() async throws(DownloadError) {
        let (folder, application) = (keeper.folder, keeper.configuration.session.application)
        try await keeper.disk.run { () throws(DownloadError) in
            // On a system without documents there are none to protect.
            let documents = try? SystemPlaces.current().path(of: .documents, for: application)
            try CacheCleaner(folder, documents: documents?.removingLastComponent()).check()
        }
    }
}

/// Where a library is.
private struct LibraryPlace: Sendable {
    let path: FilePath
    /// What it is gone with.
    var area: TemporaryArea?

    init(
        _ place: Place,
        named name: String?,
        of application: StorageKey
    ) throws(DownloadError) {
        let base: FilePath
        switch (place, place.standard) {
        case (.temporary, let standard?):
            let root = try SystemPlaces.current().prepare(standard, for: application)
            let area = try TemporaryArea.make(in: root)
            self.area = area
            base = area.path
        case (_, let standard?):
            base = try SystemPlaces.current().prepare(standard, for: application)
        case (.directory(let path), nil): base = FilePath(path.isEmpty ? "." : path)
        case (_, nil): base = "."
        }
        let path = try name.map { (name) throws(DownloadError) in
            try FileFolder(base).resolve(name)
        }
        self.path = (path ?? base).absolute
        try FolderPreparation.prepare(self.path, mode: 0o700)
    }
}

extension LibraryKeeper {
    /// The files that are there, and who tells of changes; nobody where that is not wanted, or cannot be.
    fileprivate func beginWatching() async throws(DownloadError) -> (
        (any FolderWatching)?, [String: FileStamp]
    ) {
        let (folder, wanted) = (folder, configuration.watchesFolder)
        let (watcher, failure, stamps) = try await disk.run { () throws(DownloadError) in
            var failure: DownloadError?
            if wanted {
                do throws(DownloadError) {
                    let watcher = try FolderWatch.begin(folder)
                    return (watcher as (any FolderWatching)?, failure, watcher.baseline)
                } catch {
                    failure = error
                }
            }
            let stamps = try LibraryScan(folder).stamps()
            return (nil, failure, stamps)
        }
        if let failure {
            let event = LibraryEvent.watchingEnded(reason: failure.message)
            state.withLock { $0.early.append(event) }
        }
        return (watcher, stamps)
    }

    fileprivate func beginDropping() async throws(DownloadError) -> DropWatch? {
        guard let path = configuration.dropFolder else { return nil }
        let folder = folder
        return try await disk.run { () throws(DownloadError) in
            let drop = FilePath(path).absolute
            try FolderPreparation.prepare(drop, mode: 0o700)
            guard try !FolderPreparation.isSame(drop, folder) else {
                throw DownloadError(
                    .usage,
                    "\(drop) is the library's own folder and cannot be its drop folder",
                    advice: "give a folder of its own, for example one within"
                )
            }
            return try DropWatch(drop)
        }
    }
}
