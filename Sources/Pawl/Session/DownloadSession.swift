public import Logging
@_exported public import PawlCore
package import PawlEngine
internal import PawlStorage
internal import PawlTransport
package import PawlWire
public import struct FoundationEssentials.URL
internal import Synchronization

/// Tasks that share one configuration and its limits, similar to `URLSession`.
///
/// ```swift
/// let file = try await DownloadSession.shared.download(url, to: .directory(folder))
/// ```
///
/// A session lives until its last task has ended, even without a reference to it. Sessions share
/// the process's threads, but no connection, no cookie and no limit.
public final class DownloadSession: Sendable {
    private struct State {
        var tasks: [Int: SessionTask] = [:]
        var nextIdentifier = 1
        /// The closures that end the requests without a task: those of streams and descriptions.
        var streams: [Int: @Sendable () -> Void] = [:]
        var nextStream = 1
        /// Whether a task was queued.
        var hasBegun = false
        var phase = Phase.open
        var isCancelled = false
        var delegate: (any DownloadSessionDelegate)?

        init(_ delegate: (any DownloadSessionDelegate)?) { self.delegate = delegate }

        /// Whether the session was finished and its last task has ended.
        var isDone: Bool { phase == .finishing && tasks.isEmpty && streams.isEmpty }
    }

    /// The session for simple requests, with the default configuration and without a delegate.
    ///
    /// It cannot be invalidated.
    public static let shared = DownloadSession(isShared: true)

    private enum Phase {
        case open
        /// Existing tasks run to their end; no new ones start.
        case finishing
        case invalid
    }

    /// The configuration of the session and its tasks.
    public let configuration: SessionConfiguration
    package let engine: Engine
    let runner: SessionRunner
    let temporaryFiles: TemporaryFiles
    /// The cookies of the session's requests; `nil` if it keeps none.
    let cookieJar: CookieJar?
    private let cookieFiles: SessionFiles<CookieJar>
    private let secureHostFiles: SessionFiles<SecureHosts>
    private let alternativeFiles: SessionFiles<AlternativeServices>
    /// The connection of a background session to the daemon.
    let link: BackgroundLink?
    /// The readers of the session's events.
    let feeds = EventFeeds(SessionEvent.bounds())
    /// Whether the delegate decides on responses.
    let delegateDecides: Bool
    /// Whether there is a delegate, or was ever a reader of events.
    private let hasObservers: Atomic<Bool>
    private let state: Mutex<State>
    private let isShared: Bool

    /// Creates a session without a delegate.
    ///
    /// Nothing runs before the first task. The session is retained by its tasks.
    public convenience init(
        _ configuration: SessionConfiguration = .default,
        logger: Logger = Logger(label: "pawl")
    ) {
        self.init(configuration, logger: logger, network: nil)
    }

    /// Creates a session with a delegate.
    ///
    /// Nothing runs before the first task. The delegate is retained until the session is
    /// invalidated, and the session is retained by its tasks.
    ///
    /// The constraints keep a delegate from compiling if one of its methods has nearly the name or
    /// the types of the protocol's, and would never be called. The delegate's class must therefore be
    /// known here; the argument may be an optional. For a value whose class is not known, such as an
    /// `any DownloadSessionDelegate`, use ``init(_:anyDelegate:logger:)``.
    public convenience init<Delegate: DownloadSessionDelegate>(
        _ configuration: SessionConfiguration = .default,
        delegate: Delegate?,
        logger: Logger = Logger(label: "pawl")
    ) where Delegate.DelegateMistakes == NoDelegateMistakes, Delegate.ResponseDecision == Void {
        self.init(configuration, delegate: delegate, logger: logger, network: nil)
    }

    /// Creates a session with a delegate that decides on responses.
    ///
    /// Nothing runs before the first task. The delegate is retained until the session is
    /// invalidated, and the session is retained by its tasks.
    ///
    /// The constraints keep a delegate from compiling if one of its methods has nearly the name or
    /// the types of the protocol's, and would never be called. The delegate's class must therefore be
    /// known here; the argument may be an optional. For a value whose class is not known, such as an
    /// `any DownloadSessionDelegate`, use ``init(_:anyDelegate:logger:)``.
    public convenience init<Delegate: DownloadSessionDelegate>(
        _ configuration: SessionConfiguration = .default,
        delegate: Delegate?,
        logger: Logger = Logger(label: "pawl")
    )
    where
        Delegate.DelegateMistakes == NoDelegateMistakes,
        Delegate.ResponseDecision == ResponseDisposition
    {
        self.init(configuration, delegate: delegate, logger: logger, network: nil)
    }

    /// Creates a session with a delegate whose class is not known here, or without a delegate.
    ///
    /// Nothing runs before the first task. The delegate is retained until the session is
    /// invalidated, and the session is retained by its tasks.
    ///
    /// The compiler does not check the methods of such a delegate: a method with a wrong name or
    /// type is never called. `init(_:delegate:logger:)` checks them.
    public convenience init(
        _ configuration: SessionConfiguration = .default,
        anyDelegate: (any DownloadSessionDelegate)?,
        logger: Logger = Logger(label: "pawl")
    ) {
        self.init(configuration, delegate: anyDelegate, logger: logger, network: nil)
    }

    /// Creates a session.
    ///
    /// `network` is the source of network changes; `nil` takes the system's.
    package init(
        _ configuration: SessionConfiguration,
        delegate: (any DownloadSessionDelegate)? = nil,
        logger: Logger = Logger(label: "pawl"),
        network: (any NetworkPathMonitoring)?,
        isShared: Bool = false
    ) {
        self.configuration = configuration
        self.isShared = isShared
        hasObservers = Atomic(delegate != nil)
        delegateDecides = delegate.map { type(of: $0).decides } ?? false
        temporaryFiles = TemporaryFiles(configuration)
        let replacement = configuration.replacement
        var settings = EngineSettings(ofSystem: network ?? replacement?.monitor)
        settings.connectionsPerHost = configuration.connectionsPerHost
        settings.limitBytesPerSecond = configuration.limitBytesPerSecond
        settings.store = StoreSettings(queueIdentity: configuration.queueIdentity)
        let cookies = CookieFiles(logger)
        cookieFiles = cookies.files
        let secureHostFiles = SessionFiles<SecureHosts>(logger)
        let alternativeFiles = SessionFiles<AlternativeServices>(logger)
        cookieJar =
            switch configuration.cookies {
            case .none: nil
            case .session: CookieJar()
            case .file(let path): cookies.files.values(of: path)
            }
        settings.cookies = cookieJar
        settings.namedCookies = { cookies.jar(of: $0) }
        settings.namedSecureHosts = { $0.secureHostsFile.map(secureHostFiles.values) }
        settings.namedAlternatives = { $0.alternativeServicesFile.map(alternativeFiles.values) }
        (self.secureHostFiles, self.alternativeFiles) = (secureHostFiles, alternativeFiles)
        engine = Engine.make(settings, logger, replacement)
        cookieFiles.follow(with: engine)
        secureHostFiles.follow(with: engine)
        alternativeFiles.follow(with: engine)
        runner = SessionRunner(limit: configuration.maximumConcurrentDownloads, engine)
        var state = State(delegate)
        if case .background(let identifier) = configuration.kind, replacement == nil {
            let link = BackgroundLink(identifier, configuration, logger)
            self.link = link
            state.nextIdentifier = link.firstNumber
        } else {
            link = nil
        }
        self.state = Mutex(state)
        runner.serve(self)
        link?.start(for: self)
    }

    private convenience init(isShared: Bool) {
        self.init(.default, network: nil, isShared: isShared)
    }

    deinit {
        link?.stop()
        guard hasFiles else { return }
        engine.disk.start { [cookieFiles, secureHostFiles, alternativeFiles] _ in
            cookieFiles.save()
            secureHostFiles.save()
            alternativeFiles.save()
        }
    }

    /// The object that receives the events of the tasks; `nil` after the session was invalidated.
    public var delegate: (any DownloadSessionDelegate)? { state.withLock { $0.delegate } }

    /// The events of all tasks from now on, for one reader, in the order in which they are reported
    /// to the delegate.
    ///
    /// The sequence ends when the session is invalidated. Each event is reported once. Unread
    /// progress of a task is replaced by newer progress. If 10,000 events are unread, only the
    /// newest event of each task is kept, at most 5,000. ``SessionEvent/dropped(_:)`` replaces the
    /// last events of tasks that were dropped. So a slow reader needs little memory. In a
    /// background session, an event counts as delivered when the reader asks for the next one: read
    /// a sequence that you hold.
    public var events: EventSequence<SessionEvent> {
        hasObservers.store(true, ordering: .releasing)
        let sequence = feeds.makeSequence()
        for task in currentTasks { task.observed() }
        return sequence
    }

    /// Whether there is a delegate, or was ever a reader of events.
    var isObserved: Bool { hasObservers.load(ordering: .acquiring) }

    /// All tasks that have not ended, the oldest first.
    ///
    /// In a background session this includes those that the daemon has from earlier processes: this
    /// property waits until they are known, or until it is certain that there is no daemon.
    public var allTasks: [SessionTask] {
        get async {
            await link?.listed.wait()
            return currentTasks
        }
    }

    /// The download tasks among `allTasks`.
    public var downloadTasks: [DownloadTask] {
        get async { await allTasks.compactMap { $0 as? DownloadTask } }
    }

    /// The data tasks among `allTasks`.
    public var dataTasks: [DataTask] {
        get async { await allTasks.compactMap { $0 as? DataTask } }
    }

    /// All tasks that this process knows and that have not ended, the oldest first.
    package var currentTasks: [SessionTask] {
        state.withLock { state in
            state.tasks.values.sorted { $0.taskIdentifier < $1.taskIdentifier }
        }
    }

    /// The task of that number, unless it has ended.
    func task(_ number: Int) -> SessionTask? { state.withLock { $0.tasks[number] } }

    /// Creates a task.
    ///
    /// `number` is the task's earlier number; `nil` takes a new one.
    func makeTask<Kind: SessionTask>(
        _ number: Int? = nil,
        _ make: (SessionTask.Membership) -> Kind
    ) -> Kind {
        state.withLock { state in
            let task = make(
                SessionTask.Membership(
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

    /// Queues a task.
    func enqueue(_ task: SessionTask, _ options: SessionTask.Options) {
        let isFirst = state.withLock { state in
            // The session holds a late task from the moment it is to run.
            state.tasks[task.taskIdentifier] = task
            defer { state.hasBegun = true }
            return !state.hasBegun
        }
        runner.enqueue(task, priority: options.priority, notBefore: options.earliestBeginDate)
        guard isFirst, configuration.removesLeftovers else { return }
        // This removes the files that ended sessions have left.
        engine.disk.start { [temporaryFiles] _ in temporaryFiles.begin() }
    }

    // MARK: - Streams

    /// Returns a response as it arrives: its head, then its body in pieces, with back-pressure.
    ///
    /// It does not wait for a turn, but for the network if the settings require that. The session
    /// does not end before the response has ended.
    ///
    /// - Throws: `DownloadError`.
    public func bytes(from url: URL) async throws(DownloadError) -> DataStream {
        try await bytes(for: DownloadRequest(url))
    }

    /// Returns the response to a request as it arrives.
    ///
    /// - Throws: `DownloadError`.
    public func bytes(for request: DownloadRequest) async throws(DownloadError) -> DataStream {
        let settings = request.settings(in: configuration)
        let checked = try CheckedRequest(
            request.url,
            settings,
            mayBeFolder: request.listsFolder
        )
        let control = StreamControl()
        guard let number = register({ control.stop() }) else { throw SessionTask.late }
        let connected = ConnectedRequest(
            url: request.url,
            settings: settings,
            control: control,
            engine: engine
        ) { _ in
        }
        do throws(DownloadError) {
            let stream = try await cancellable { () async throws(DownloadError) in
                try await connected.run(unless: false) { () async throws(DownloadError) in
                    let job = StreamJob(request, checked, seed: engine.seeds.next())
                    return try await open(job, control)
                }
            } onCancel: {
                control.stop()
            }
            passToReader(number, stream.driver)
            return stream
        } catch {
            forget(number)
            throw error
        }
    }

    private func open(
        _ job: StreamJob,
        _ control: StreamControl
    ) async throws(DownloadError) -> DataStream {
        let driver = StreamDriver(job, engine: engine)
        control.attach(driver)
        return DataStream(try await driver.open(), driver)
    }

    /// Registers a request without a task, which `stop` ends; `nil` if the session accepts nothing
    /// new.
    private func register(_ stop: @escaping @Sendable () -> Void) -> Int? {
        state.withLock { state in
            guard state.phase == .open else { return nil }
            defer { state.nextStream += 1 }
            state.streams[state.nextStream] = stop
            return state.nextStream
        }
    }

    /// Makes a request without a task, which `stop` ends if the session is cancelled.
    ///
    /// - Throws: `DownloadError` with the code `.usage` if the session was invalidated.
    func requestWithoutTask<Value: Sendable>(
        stoppedBy stop: @escaping @Sendable () -> Void,
        _ work: () async throws(DownloadError) -> Value
    ) async throws(DownloadError) -> Value {
        guard let number = register(stop) else { throw SessionTask.late }
        defer { forget(number) }
        return try await work()
    }

    /// Passes a response to its reader.
    ///
    /// From now on neither the response nor the session holds the other.
    private func passToReader(_ number: Int, _ driver: StreamDriver) {
        state.withLock { state in
            state.streams[number] = { [weak driver] in driver?.cancel() }
        }
        driver.whenEnded { [weak self] in self?.forget(number) }
    }

    private func forget(_ number: Int) {
        state.withLock { $0.streams[number] = nil }
        invalidateIfDone()
    }

    /// The files of downloads that no longer run.
    package var leftovers: LeftoverFiles { LeftoverFiles(self) }

    // MARK: - Limits

    /// Sets the maximum speed of all tasks together, in bytes per second; `nil` means no limit.
    package func setLimit(bytesPerSecond limit: Int64?) {
        guard engine.limit.limitBytesPerSecond != limit.flatMap({ $0 > 0 ? $0 : nil }) else {
            return
        }
        engine.limit.setLimit(bytesPerSecond: limit, now: engine.time.now())
        for case let task as DownloadTask in currentTasks { task.sessionLimitChanged() }
    }

    /// Starts no task any more, because all of them are about to be cancelled.
    package func startNoMore() { runner.startNoMore() }

    /// Waits until few tasks are queued; returns `false` if the calling task was cancelled before.
    ///
    /// It serves many downloads: a task that is created only then uses nothing while it waits.
    package func waitForRoom() async -> Bool { await runner.waitForRoom() }

    /// The current use of each host.
    package var hosts: WireHosts { WireHosts(engine.budgets.hosts) }

    /// Sets the number of connections per host.
    ///
    /// Excess connections end by themselves.
    package func setLimit(connectionsPerHost: Int) {
        engine.budgets.setLimit(connectionsPerHost: connectionsPerHost)
    }

    // MARK: - The end

    /// Lets existing tasks and streams finish; new ones, and ``inspect(_:adjusting:)``, fail with the
    /// code `.usage`.
    ///
    /// Then the session reports this to the delegate, and releases it. It has no effect on
    /// ``shared``.
    public func finishTasksAndInvalidate() {
        guard !isShared else { return }
        state.withLock { state in
            if state.phase == .open { state.phase = .finishing }
        }
        invalidateIfDone()
    }

    /// Cancels all tasks, which keep nothing, all streams and all descriptions being requested.
    ///
    /// No new ones start.
    ///
    /// When this is reported to the delegate of an ephemeral session, nothing of the session is
    /// left on disk. It has no effect on ``shared``.
    public func invalidateAndCancel() {
        guard !isShared else { return }
        let (tasks, streams) = state.withLock { state in
            if state.phase == .open { state.phase = .finishing }
            state.isCancelled = true
            return (Array(state.tasks.values), Array(state.streams.values))
        }
        for task in tasks { task.cancel() }
        for cancel in streams { cancel() }
        invalidateIfDone()
    }

    private func invalidateIfDone() {
        guard state.withLock({ $0.isDone }) else { return }
        if let link, !link.listed.isComplete {
            // Only then is it known whether the daemon has tasks of the session, and whether this
            // process has the session at all.
            Task.detached {
                await link.listed.waitIgnoringCancellation()
                self.invalidateIfDone()
            }
        } else {
            invalidate()
        }
    }

    private func invalidate() {
        let isDone = state.withLock { state in
            guard state.isDone else { return false }
            state.phase = .invalid
            return true
        }
        guard isDone else { return }
        guard let link else { return runner.post(.invalidated(nil)) }
        // The delegate's executor may be busy with the last event, which must be acknowledged first:
        // the program may end when it is told, and must not get the same event again.
        Task.detached {
            await link.waitForReplay()
            await link.finish()
            self.runner.post(.invalidated(link.failure))
        }
    }

    /// Handles the end of a task.
    func ended(_ task: SessionTask) {
        state.withLock { $0.tasks[task.taskIdentifier] = nil }
        invalidateIfDone()
    }

    /// Whether the session has ended, so that it can have no further tasks.
    var isInvalid: Bool { state.withLock { $0.phase == .invalid } }

    /// Handles the loss of a background session to another process, or its refusal by the daemon.
    ///
    /// Its tasks continue there without this process.
    func lost() {
        let tasks = state.withLock { state in
            if state.phase == .open { state.phase = .finishing }
            return Array(state.tasks.values)
        }
        for task in tasks where task is BackgroundTask && task.state != .running {
            task.end(keeping: true)
        }
        invalidateIfDone()
    }

    /// Whether a file of cookies or of hosts was named.
    private var hasFiles: Bool {
        !cookieFiles.isEmpty || !secureHostFiles.isEmpty || !alternativeFiles.isEmpty
    }

    /// Writes the cookies and the hosts that have changed to their files.
    package func saveFiles() async {
        guard hasFiles else { return }
        // This fails only if the pool was shut down.
        try? await engine.disk.run { [cookieFiles, secureHostFiles, alternativeFiles] in
            cookieFiles.save()
            secureHostFiles.save()
            alternativeFiles.save()
        }
    }

    /// Writes the cookies and the hosts, and removes the files of a cancelled ephemeral session, which nobody can
    /// resume.
    func closeFiles() async {
        await saveFiles()
        guard configuration.kind == .ephemeral, state.withLock({ $0.isCancelled }) else { return }
        let files = temporaryFiles
        do throws(DownloadError) {
            try await engine.disk.run { () throws(DownloadError) in try files.remove() }
        } catch {
            engine.logger.warning("cannot remove the session's files: \(error)")
        }
    }

    /// Releases the delegate, which was told that the session is invalid.
    func wasInvalidated() {
        // The delegate's deinitializer must not run under the lock.
        let old = state.withLock { state in
            defer { state.delegate = nil }
            return state.delegate
        }
        withExtendedLifetime(old) {}
        link?.stop()
    }
}
