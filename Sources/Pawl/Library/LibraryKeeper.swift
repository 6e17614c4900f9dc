internal import PawlCore
internal import PawlEngine
internal import PawlStorage
internal import Synchronization
internal import SystemPackage

/// The implementation of a library: the index behind a lock, and the runner that carries out its
/// actions.
final class LibraryKeeper: Sendable {
    typealias Answer = Completion<Result<KnownFile, DownloadError>>

    struct State {
        var index: LibraryIndex
        var runs: [LibraryIndex.RunID: LibraryRun] = [:]
        /// What the tasks that asked for a key wait for.
        var answers: [StorageKey: Answer] = [:]
        /// The requests for keys that are not finished.
        var requests: [StorageKey: LibraryRequest] = [:]
        var feeds: [WeakFeed] = []
        /// The events before there was a reader.
        var early: [LibraryEvent] = []
        /// Whether feeds receive no more events.
        var isEnded = false
        /// The names that a check of the folder may have read too early.
        var touched = TouchedNames()
    }

    struct WeakFeed {
        weak var feed: EventFeed?
    }

    /// The work for the runner, in order.
    enum Work: Sendable {
        case run(LibraryRun)
        case renew(StorageKey, LibraryIndex.RunID, DownloadError)
        case disk(@Sendable () throws(DownloadError) -> Void)
        /// Check which files have these names now.
        case lookAt([String])
        /// A run has reported its end.
        case ended(LibraryIndex.RunID)
        /// A run was stopped that may still be queued.
        case look
        case end
    }

    let folder: FilePath
    let configuration: LibraryConfiguration
    let session: DownloadSession
    let files: LibraryFiles
    let disk = BlockingPool(threads: 2, name: "pawl-library")
    let work = Mailbox<Work>()
    let ended = Completion<Void>()
    let state: Mutex<State>
    /// Locked while the folder is checked, before `state`.
    let oneCheck = Mutex(())
    private let area: TemporaryArea?

    /// Creates the keeper.
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
        state = Mutex(State(index: LibraryIndex(folder: folder.string)))
    }

    deinit { disk.shutDown() }

    func handle(_ event: LibraryIndex.Event) {
        state.withLock { state in perform(state.index.handle(event), &state) }
    }

    /// Does what can be done at once and leaves the rest to the runner.
    func perform(_ actions: [LibraryIndex.Action], _ state: inout State) {
        for action in actions {
            switch action {
            case .start(let start):
                let run = LibraryRun(start)
                state.runs[start.run] = run
                work.post(.run(run))
            case .stop(let id, let keeping):
                state.runs[id]?.stop(keeping: keeping)
                work.post(.look)
            case .renew(let key, let run, let error): work.post(.renew(key, run, error))
            case .conclude(let key, let result):
                state.answers.removeValue(forKey: key)?.complete(with: result)
                if state.index.entries[key]?.download == nil { state.requests[key] = nil }
            case .tell(let event): tell(event, &state)
            case .lookAt(let name): work.post(.lookAt([name]))
            case .save, .discardPart, .moveRecord: work.post(.disk(diskWork(action)))
            case .give, .refuse: break
            }
        }
    }

    private func diskWork(
        _ action: LibraryIndex.Action
    ) -> @Sendable () throws(DownloadError) -> Void {
        let (folder, files, engine) = (folder, files, session.engine)
        return { () throws(DownloadError) in
            switch action {
            case .save(let order, let hasEnded):
                try PendingNote.save(order, in: folder, creates: !hasEnded)
            case .discardPart(let order): Self.discardPart(order, files, engine)
            case .moveRecord(let from, let to):
                try RecordStore.move(from: files.path(from), to: files.path(to))
            default: break
            }
        }
    }

    /// Removes the files of a download.
    ///
    /// Throws if another process runs it.
    static func discard(
        _ order: PendingDownload,
        _ files: LibraryFiles,
        _ engine: Engine
    ) throws(DownloadError) {
        let note = try PendingNote.claim(order, in: files.folder)
        discardPart(order, files, engine)
        try note.remove()
    }

    /// Removes the bytes of a download.
    ///
    /// Another tool's partial file of that name stays.
    static func discardPart(_ order: PendingDownload, _ files: LibraryFiles, _ engine: Engine) {
        let paths = DownloadPaths(files.path(order.name))
        guard KeyMark.isPossible(order.key, on: paths.partial) else { return }
        Leftover.discard(paths, engine)
    }

    func tell(_ event: LibraryEvent, _ state: inout State) {
        var isGone = false
        for feed in state.feeds {
            if let feed = feed.feed { feed.post(event) } else { isGone = true }
        }
        if isGone { state.feeds.removeAll { $0.feed == nil } }
    }

    func tell(_ event: LibraryEvent) { state.withLock { tell(event, &$0) } }

    func makeFeed() -> EventFeed {
        let feed = EventFeed(limit: configuration.mostUnreadEvents)
        state.withLock { state in
            for event in state.early { feed.post(event) }
            state.early = []
            state.feeds.append(WeakFeed(feed: feed))
            if state.isEnded { feed.end() }
        }
        return feed
    }

    func close() {
        handle(.closed)
        work.post(.end)
    }
}
