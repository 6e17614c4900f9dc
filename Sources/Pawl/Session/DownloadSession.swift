public import Logging
package import PawlCore
internal import PawlEngine
internal import PawlStorage
internal import PawlTransport
internal import struct FoundationEssentials.Date
internal import Synchronization

/// Tasks that share one configuration and its limits: what `URLSession` is elsewhere.
///
/// ```swift
/// let session = DownloadSession()
/// let file = try await session.download(from: url, to: .directory(folder))
/// ```
///
/// A session lives until its last task has ended, also where nobody holds it; then its threads end.
public final class DownloadSession: Sendable {
    struct State {
        var tasks: [Int: SessionTask] = [:]
        var nextIdentifier = 1
        var scheduler: StartScheduler<Int>
        /// Enqueued tasks so far: each has the next position.
        var lastPosition: Int64 = 0
        /// Those that may start and have not yet.
        var starting: ArraySlice<Int> = []
        /// Those that need no place.
        var atOnce: [Int] = []
        /// What ends an answer that is being read as a stream.
        var streams: [Int: @Sendable () -> Void] = [:]
        var nextStream = 1
        /// Runs that have begun and not ended, their connections or not.
        var runs = 0
        var undelivered = 0
        var isRunning = false
        var hasCleaned = false
        var phase = Phase.open
        var isCancelled = false
        /// Why it is invalid, where it was not invalidated.
        var loss: DownloadError?
        var delegate: (any DownloadSessionDelegate)?

        var isIdle: Bool {
            scheduler.isEmpty && starting.isEmpty && atOnce.isEmpty && runs == 0
                && undelivered == 0
        }
    }

    enum Phase {
        case open
        /// What is there ends by itself, nothing new begins.
        case finishing
        case invalid
    }

    /// What holds for all its tasks.
    public let configuration: SessionConfiguration
    let engine: Engine
    let events = Mailbox<SessionEvent>()
    /// Wakes the runner.
    let bell = Mailbox<Never>()
    let state: Mutex<State>
    let temporaryFiles: TemporaryFiles
    /// What binds a background session to the daemon.
    let link: BackgroundLink?

    /// Makes a session.
    ///
    /// Nothing runs before the first task does. The delegate is held until the session is
    /// invalidated, as the session is by its tasks.
    public convenience init(
        _ configuration: SessionConfiguration = .default,
        delegate: (any DownloadSessionDelegate)? = nil,
        logger: Logger = Logger(label: "pawl")
    ) {
        self.init(configuration, delegate: delegate, logger: logger, network: nil)
    }

    /// `network`: who is asked about it; nil asks the system.
    package init(
        _ configuration: SessionConfiguration,
        delegate: (any DownloadSessionDelegate)? = nil,
        logger: Logger = Logger(label: "pawl"),
        network: (any NetworkPathMonitoring)?
    ) {
        self.configuration = configuration
        temporaryFiles = TemporaryFiles(configuration)
        let settings = configuration.downloaderSettings
        var engine = Engine.make(settings, logger, network: network)
        if !configuration.keepsCookies { engine.cookies = nil }
        engine.storeSettings.keeper = configuration.keeper
        self.engine = engine
        state = Mutex(
            State(
                scheduler: StartScheduler(limit: settings.maximumConcurrentDownloads),
                delegate: delegate
            )
        )
        guard case .background(let identifier) = configuration.kind else {
            link = nil
            return
        }
        // Its numbers last longer than a process.
        let number = Self.freshNumber
        state.withLock { $0.nextIdentifier = number }
        let link = BackgroundLink(identifier, configuration, firstNumber: number, logger)
        self.link = link
        link.start(for: self)
    }

    deinit { link?.stop() }

    /// Microseconds since 1970: nobody made as many tasks before.
    private static var freshNumber: Int { Int(Date().timeIntervalSince1970 * 1e6) }

    /// Hears of what the tasks do; nil once the session was invalidated.
    public var delegate: (any DownloadSessionDelegate)? { state.withLock { $0.delegate } }

    func forgetDelegate() {
        // What it does when it goes is its own affair, and not under the lock.
        let old = state.withLock { state in
            defer { state.delegate = nil }
            return state.delegate
        }
        withExtendedLifetime(old) {}
    }

    /// All tasks that have not ended, the oldest first.
    ///
    /// Of a background session also those that the daemon has from earlier processes: it waits until they are
    /// known, or no daemon can be had.
    public var allTasks: [SessionTask] {
        get async {
            await link?.listed.wait()
            return currentTasks
        }
    }

    /// All tasks that this process knows and that have not ended, the oldest first.
    package var currentTasks: [SessionTask] {
        state.withLock { state in
            state.tasks.values.sorted { $0.taskIdentifier < $1.taskIdentifier }
        }
    }

    /// `number`: what the task was called before; nil takes a new one.
    func makeTask<Kind: SessionTask>(
        _ number: Int? = nil,
        _ make: (SessionTask.Place) -> Kind
    ) -> Kind {
        state.withLock { state in
            let task = make(
                SessionTask.Place(
                    session: self,
                    number: number ?? state.nextIdentifier,
                    isLate: state.phase != .open
                )
            )
            if number == nil { state.nextIdentifier += 1 }
            // A late one that is never resumed must not keep the session from its end.
            if !task.isLate { state.tasks[task.taskIdentifier] = task }
            return task
        }
    }

    // MARK: - The end

    /// Lets the tasks end that are there, and the streams; new ones fail.
    ///
    /// Then the delegate hears of it and is let go.
    public func finishTasksAndInvalidate() {
        state.withLock { state in
            if state.phase == .open { state.phase = .finishing }
        }
        invalidateIfDone()
    }

    /// Cancels all tasks, which keep nothing, and all streams, and lets no new one begin.
    ///
    /// Of an ephemeral session nothing is left on the disk when the delegate hears of it.
    public func invalidateAndCancel() {
        let (tasks, streams) = state.withLock { state in
            if state.phase == .open { state.phase = .finishing }
            state.isCancelled = true
            return (Array(state.tasks.values), Array(state.streams.values))
        }
        for task in tasks { task.cancel() }
        for cancel in streams { cancel() }
        invalidateIfDone()
    }

    func invalidateIfDone() {
        let (isDone, loss) = state.withLock { state in
            guard state.phase == .finishing, state.tasks.isEmpty, state.streams.isEmpty else {
                return (false, state.loss)
            }
            state.phase = .invalid
            return (true, state.loss)
        }
        if isDone { post(.invalidated(loss)) }
    }

    /// A task has told of its end.
    func ended(_ task: SessionTask) {
        state.withLock { $0.tasks[task.taskIdentifier] = nil }
        invalidateIfDone()
    }
}
