public import Pawl
public import PawlCore
internal import PawlEngine
internal import PawlStorage
internal import SystemPackage

/// A library of files by your own keys: fetched once, stored in a folder, and found again whenever
/// the folder is opened.
///
/// ```swift
/// let library = try await DownloadLibrary(folder: .caches, named: "covers")
/// let file = try await library.file(for: "album-17", from: url)
/// print(file.path)
/// ```
///
/// There is one download per key. Requesting a key that is being fetched joins its download, a
/// finished key returns its file, and a paused one resumes. There can be any number of libraries,
/// and several can share one folder, in one process or in many.
public final class DownloadLibrary: Sendable {
    /// The folder, which gives access to its files by name.
    public let folder: PlaceFolder
    let context: LibraryContext
    private let place: Place

    /// Opens the library of a folder, which is created if it does not exist.
    ///
    /// Its content is found from the records stored with the files; none of their bytes are read.
    /// Downloads of an earlier process appear as paused. Downloads of a background session appear
    /// in the state that they have in the daemon, which is started if it is not running. `named` is
    /// a folder within the place. In the place `.temporary`, everything is removed with the
    /// library.
    ///
    /// - Throws: `DownloadError` with the code `.directoryNotUsable` if the folder cannot be used,
    ///   or `.usage` if it is its own drop folder, or temporary with a background session.
    public init(
        folder place: Place,
        named name: String? = nil,
        configuration: LibraryConfiguration = LibraryConfiguration()
    ) async throws(DownloadError) {
        self.place = place
        let isBackground = configuration.session.kind.isBackground
        if isBackground, place == .temporary { throw Self.isTemporary }
        let taskFollower = isBackground ? BackgroundTaskFollower() : nil
        let session =
            taskFollower.map { DownloadSession(configuration.session, delegate: $0) }
            ?? DownloadSession(configuration.session)
        do throws(DownloadError) {
            let found = try await session.engine.disk.run { () throws(DownloadError) in
                try LibraryLocation(place, named: name, of: configuration.session.application)
            }
            let places = Places(applicationIdentifier: configuration.session.applicationIdentifier)
            folder = PlaceFolder(FileFolder(found.path), places: places)
            let context = LibraryContext(found.path, configuration, session, area: found.area)
            self.context = context
            let (watcher, stamps) = try await context.beginWatching()
            try await context.follower.load(stamps)
            let drop = try await context.beginDropping()
            await taskFollower?.begin(context)
            Task { await LibraryRunner(context).run(watcher, drop) }
        } catch {
            await taskFollower?.giveUp(session)
            throw error
        }
    }

    deinit { context.close() }

    private static let isTemporary = DownloadError.usage(
        "a temporary library cannot run its downloads in a background session: its folder is "
            + "removed with the library",
        advice: "use another place, such as .caches"
    )

    /// The events from now on, for one reader.
    ///
    /// Call this once per reader.
    ///
    /// The first reader also receives what was found damaged when the library was opened.
    public var events: EventSequence<LibraryEvent> { context.events.makeSequence() }

    /// Closes the library.
    ///
    /// Running downloads are paused and kept. Those of a background session continue in the daemon.
    ///
    /// Releasing the library does the same; this method waits until it is done.
    public func close() async {
        context.close()
        await context.ended.waitIgnoringCancellation()
    }

    /// Throws if the place or the folder is never cleaned.
    func requireCleanable() async throws(DownloadError) {
        let (place, folder) = (place, context.folder)
        let application = context.configuration.session.application
        try await context.disk.run { () throws(DownloadError) in
            try CacheCleaner(place, folder: folder, for: application).check()
        }
    }
}

/// The location of a library.
private struct LibraryLocation: Sendable {
    let path: FilePath
    /// The temporary area with which it is removed.
    var area: TemporaryArea?

    init(
        _ place: Place,
        named name: String?,
        of application: StorageKey
    ) throws(DownloadError) {
        var base = try place.prepared(for: application)
        if place == .temporary {
            let area = try TemporaryArea.make(in: base)
            self.area = area
            base = area.path
        }
        let path = try name.map { (name) throws(DownloadError) in
            try FileFolder(base).resolve(name)
        }
        self.path = FilePath(try (path ?? base).absoluteText())
        try FolderPreparation.prepare(self.path, mode: 0o700)
    }
}

extension LibraryContext {
    /// Starts watching the folder.
    ///
    /// Returns its files and the watcher, which is `nil` if watching is not wanted or not possible.
    fileprivate func beginWatching() async throws(DownloadError) -> (
        (any FolderWatching)?, [ExactText: FileStamp]
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
            events.keep(.watchingEnded(reason: failure.message))
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
                throw .usage(
                    "\(drop) is the library's own folder and cannot be its drop folder",
                    advice: "choose another folder, for example one within it"
                )
            }
            return try DropWatch(drop)
        }
    }
}
