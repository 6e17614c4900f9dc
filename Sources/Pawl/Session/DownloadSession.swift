public import Logging
package import PawlCore
internal import PawlEngine
internal import PawlStorage
internal import PawlTransport
internal import struct FoundationEssentials.Date
internal import Synchronization

/// Tasks that share one configuration and its limits, similar to `URLSession`.
///
/// ```swift
/// let session = DownloadSession()
/// let file = try await session.download(from: url, to: .directory(folder))
/// ```
///
/// A session lives until its last task has ended, even if nobody holds it. Then its threads end.
public final class DownloadSession: Sendable {
    struct State {
        var tasks: [Int: SessionTask] = [:]
        var nextIdentifier = 1
        var scheduler: StartScheduler<Int>
        /// The number of tasks queued so far: each gets the next position.
        var lastPosition: Int64 = 0
        /// The tasks that may start and have not started yet.
        var starting: ArraySlice<Int> = []
        /// The tasks that need no place.
        var atOnce: [Int] = []
        /// The closures that end the responses being read as streams.
        var streams: [Int: @Sendable () -> Void] = [:]
        var nextStream = 1
        /// The number of runs that have begun and not ended, with or without connections.
        var runs = 0
        var undelivered = 0
        var isRunning = false
        var hasCleaned = false
        var phase = Phase.open
        var isCancelled = false
        /// The reason why the session is invalid, unless it was invalidated by the user.
        var loss: DownloadError?
        var delegate: (any DownloadSessionDelegate)?

        var isIdle: Bool {
            scheduler.isEmpty && starting.isEmpty && atOnce.isEmpty && runs == 0
                && undelivered == 0
        }
    }

    enum Phase {
        case open
        /// Existing tasks run to their end; no new ones start.
        case finishing
        case invalid
    }

    /// The configuration of the session and its tasks.
    public let configuration: SessionConfiguration
    let engine: Engine
    let events = Mailbox<SessionEvent>()
    /// Wakes the runner.
    let wakeup = Wakeup()
    let state: Mutex<State>
    let temporaryFiles: TemporaryFiles
    /// The connection of a background session to the daemon.
    let link: BackgroundLink?

    /// Creates a session.
    ///
    /// Nothing runs before the first task. The delegate is retained until the session is
    /// invalidated, and the session is retained by its tasks.
    public convenience init(
        _ configuration: SessionConfiguration = .default,
        delegate: (any DownloadSessionDelegate)? = nil,
        logger: Logger = Logger(label: "pawl")
    ) {
        self.init(configuration, delegate: delegate, logger: logger, network: nil)
    }

    /// Creates a session.
    ///
    /// `network` is the source of network changes; `nil` takes the system's.
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
        // The numbers of a background session outlive the process.
        let number = Self.freshNumber
        state.withLock { $0.nextIdentifier = number }
        let link = BackgroundLink(identifier, configuration, firstNumber: number, logger)
        self.link = link
        link.start(for: self)
    }

    deinit { link?.stop() }

    /// The microseconds since 1970: nobody has created that many tasks before.
    private static var freshNumber: Int { Int(Date().timeIntervalSince1970 * 1e6) }

    /// The object that receives the events of the tasks; `nil` after the session was invalidated.
    public var delegate: (any DownloadSessionDelegate)? { state.withLock { $0.delegate } }

    func forgetDelegate() {
        // The delegate's deinitializer must not run under the lock.
        let old = state.withLock { state in
            defer { state.delegate = nil }
            return state.delegate
        }
        withExtendedLifetime(old) {}
    }

    /// All tasks that have not ended, the oldest first.
    ///
    /// In a background session this includes those that the daemon has from earlier processes: it
    /// waits until they are known, or it is certain that there is no daemon.
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

    /// Creates a task.
    ///
    /// `number` is the task's earlier number; `nil` takes a new one.
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
            // A late task that is never resumed must not keep the session from ending.
            if !task.isLate { state.tasks[task.taskIdentifier] = task }
            return task
        }
    }

    // MARK: - The end

    /// Lets existing tasks and streams finish; new ones fail.
    ///
    /// Then the delegate is told and released.
    public func finishTasksAndInvalidate() {
        state.withLock { state in
            if state.phase == .open { state.phase = .finishing }
        }
        invalidateIfDone()
    }

    /// Cancels all tasks, which keep nothing, and all streams.
    ///
    /// No new ones start.
    ///
    /// When the delegate of an ephemeral session is told, nothing of the session is left on disk.
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

    /// Handles the end of a task.
    func ended(_ task: SessionTask) {
        state.withLock { $0.tasks[task.taskIdentifier] = nil }
        invalidateIfDone()
    }
}
