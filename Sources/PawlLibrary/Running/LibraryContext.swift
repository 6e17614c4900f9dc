internal import struct FoundationEssentials.URL
internal import Pawl
internal import PawlCore
internal import PawlEngine
internal import PawlStorage
internal import SystemPackage

/// What the parts of an open library share.
final class LibraryContext: Sendable {
    let folder: FilePath
    let configuration: LibraryConfiguration
    let session: DownloadSession
    let files: LibraryFiles
    let disk: BlockingPool
    let events: EventFeeds<LibraryEvent>
    let index: SharedIndex
    let follower: FolderFollower
    /// Completed when the runner has ended.
    let ended = Completion<Void>()
    private let area: TemporaryArea?

    /// The identifier of the background session whose downloads the daemon runs; `nil` if this
    /// process runs them.
    var identifier: String? { session.backgroundIdentifier }

    /// Creates the parts.
    ///
    /// `area` is the temporary area with which the folder is removed.
    init(
        _ folder: FilePath,
        _ configuration: LibraryConfiguration,
        _ session: DownloadSession,
        area: TemporaryArea?
    ) {
        self.folder = folder
        self.configuration = configuration
        self.session = session
        self.area = area
        files = LibraryFiles(folder)
        disk = BlockingPool(threads: 2, name: "pawl-library")
        events = EventFeeds(LibraryEvent.bounds(configuration.mostUnreadEvents))
        index = SharedIndex(folder: folder.string, configuration, events)
        let session = session.backgroundIdentifier
        follower = FolderFollower(folder, disk, index, session: session)
    }

    deinit { disk.shutDown() }

    func close() {
        index.handle(.closed)
        index.work.post(.end)
    }

    /// Whether the daemon has the download for this library.
    func isInDaemon(_ pending: PendingDownload) -> Bool {
        identifier != nil && pending.isInDaemon(for: identifier)
    }

    /// Returns the session's settings with the changes given for a key, without secrets given for
    /// an origin other than that of `url`, which may have changed since.
    func settings(of key: StorageKey, for url: URL) -> DownloadSettings {
        let usual = session.configuration.settings
        guard let request = index.request(for: key) else { return usual }
        let settings = request.settingsWithFields(over: usual)
        return settings.moved(from: request.adjustmentURL, to: url, keepingThoseOf: usual)
    }

    /// Ends a download that nothing runs here, and removes its files.
    ///
    /// Throws if another process runs the download, or if the daemon has it and cannot be reached.
    func discard(_ pending: PendingDownload) async throws(DownloadError) {
        if isInDaemon(pending), let number = pending.background?.task,
            let task = try await session.backgroundTask(number)
        {
            task.cancel()
            await task.end.waitIgnoringCancellation()
        }
        try await disk.run { () throws(DownloadError) in
            let note = try PendingNote.acquire(
                pending,
                in: self.folder,
                session: self.identifier
            )
            self.discardPart(pending)
            try note.remove()
        }
    }

    /// Removes the bytes of a download.
    ///
    /// It blocks. Another tool's partial file of that name stays.
    func discardPart(_ pending: PendingDownload) {
        let paths = DownloadPaths(files.path(pending.name))
        guard KeyMark.isPossible(pending.key, on: paths.partial) else { return }
        Leftover.discard(paths, session.engine)
    }
}
