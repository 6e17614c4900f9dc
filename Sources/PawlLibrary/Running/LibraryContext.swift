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
        follower = FolderFollower(folder, disk, index)
    }

    deinit { disk.shutDown() }

    func close() {
        index.handle(.closed)
        index.work.post(.end)
    }

    /// Removes the files of a download.
    ///
    /// It blocks. Throws if another process runs the download.
    func discard(_ pending: PendingDownload) throws(DownloadError) {
        let note = try PendingNote.claim(pending, in: folder)
        discardPart(pending)
        try note.remove()
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
