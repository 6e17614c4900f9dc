internal import Glibc
internal import Logging
internal import PawlCore
internal import PawlEngine
internal import PawlWire
internal import Synchronization

/// Connects a background session to the daemon: attaches to it, receives its events, and
/// acknowledges those that the session has reported.
///
/// Events are handled one at a time and completely. So they are reported in order, and every
/// acknowledged event was reported.
final class BackgroundLink: Sendable {
    /// The state of the connection to the daemon.
    enum Phase: Sendable {
        case connecting
        case attached
        /// There is no daemon, and none could be started.
        case failed(DownloadError)
        /// Another process has the session, or the daemon refused it.
        case lost(DownloadError)
    }

    struct State {
        var phase = Phase.connecting
        var wasAttached = false
        /// The session's numbers of the daemon's downloads that it knows.
        var numbers: [Int64: Int] = [:]
        /// The daemon's downloads of the session at the time of attaching.
        var there: Set<Int64> = []
        /// The newest event that was received.
        var lastSeen: Int64?
        /// Set when the latest event has been reported.
        var telling: Completion<Void>?
        /// Whether the daemon may be started: it was not ended on purpose, or is needed again.
        var mayStart = true
        var hasReplayed = false
        weak var session: DownloadSession?
    }

    let identifier: String
    /// The first number that the session gives to a task.
    let firstNumber: Int
    let configuration: SessionConfiguration
    let logger: Logger
    let state = Mutex(State())
    /// Set when the session has the tasks that the daemon knew, or cannot have any.
    let listed = Completion<Void>()
    /// Set when nothing more is to be reported.
    let stopped = Completion<Void>()
    /// Woken when the daemon is needed again.
    private let wanted = Wakeup()
    /// The newest event that was reported, for the daemon.
    let told = Mailbox<Int64>()
    private let chores = Mailbox<Chore>()
    private let made: Result<DaemonClient, DownloadError>

    /// A request to the daemon.
    ///
    /// Returns whether it was answered; otherwise it is repeated.
    typealias Chore = @Sendable (DaemonClient) async -> Bool

    init(
        _ identifier: String,
        _ configuration: SessionConfiguration,
        firstNumber: Int,
        _ logger: Logger
    ) {
        self.identifier = identifier
        self.firstNumber = firstNumber
        self.configuration = configuration
        self.logger = logger
        made = Result { () throws(DownloadError) in DaemonClient(try .current()) }
    }

    func client() throws(DownloadError) -> DaemonClient { try made.get() }

    var phase: Phase { state.withLock { $0.phase } }
    var session: DownloadSession? { state.withLock { $0.session } }

    /// Attaches to the daemon, and follows its events until `stop()`.
    func start(for session: DownloadSession) {
        state.withLock { $0.session = session }
        Task.detached { await self.run() }
    }

    /// Stops following.
    ///
    /// Reported events are still acknowledged, and pending requests are sent once more.
    func stop() { stopped.complete() }

    /// Starts the daemon, which a task needs, if it does not run.
    func want() {
        state.withLock { state in
            state.mayStart = true
            if case .failed = state.phase { state.phase = .connecting }
        }
        wanted.send()
    }

    /// Adds a request to the daemon for which no run of a task waits.
    func later(_ chore: @escaping Chore) { chores.post(chore) }

    func bind(_ id: Int64, to number: Int) { state.withLock { $0.numbers[id] = number } }

    // MARK: - Running

    private func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.acknowledge() }
            group.addTask { await self.doChores() }
            group.addTask {
                await self.follow()
                self.stopped.complete()
            }
            await self.stopped.waitIgnoringCancellation()
            await self.acknowledgeLast()
            group.cancelAll()
            self.told.wake()
            self.chores.wake()
            self.wanted.send()
        }
        guard let client = try? client() else { return }
        for chore in chores.take() { _ = await chore(client) }
    }

    /// Acknowledges the last events.
    ///
    /// While the stream is open, no other process has the session, which would report them again.
    private func acknowledgeLast() async {
        await state.withLock { $0.telling }?.waitIgnoringCancellation()
        if let last = state.withLock({ $0.lastSeen }) { await acknowledge(last) }
    }

    private func follow() async {
        while !stopped.isComplete {
            let mayStart = state.withLock { $0.mayStart }
            do throws(DownloadError) {
                try await attachAndHear(starting: mayStart)
                state.withLock { state in
                    state.phase = .connecting
                    // The user who ends the daemon on purpose does not want it to start again at
                    // once.
                    state.mayStart = false
                }
                wakeTasks()
                if await wasKilled() {
                    state.withLock { $0.mayStart = true }
                } else {
                    await pause()
                }
            } catch {
                guard !stopped.isComplete else { return }
                guard !Self.isForGood(error) else { return lose(error) }
                await fail(error, wasToStart: mayStart)
            }
        }
    }

    private static func isForGood(_ error: DownloadError) -> Bool {
        switch error.code {
        case .alreadyRunning, .usage, .conflict, .daemonVersion: true
        default: false
        }
    }

    /// Whether the daemon, whose stream has ended, was killed: then its socket still exists.
    private func wasKilled() async -> Bool {
        guard let client = try? client() else { return false }
        // A daemon that takes too long to shut down counts as killed.
        try? await client.waitForEnd()
        return access(client.places.socket, F_OK) == 0
    }

    /// Handles a missing or failing daemon: it is looked for repeatedly, and started again unless
    /// it was ended on purpose.
    ///
    /// A start may fail for a moment: a killed daemon may still hold its socket.
    private func fail(_ error: DownloadError, wasToStart: Bool) async {
        if wasToStart {
            state.withLock { $0.phase = .failed(error) }
            listed.complete()
            wakeTasks()
        }
        await pause()
    }

    /// Handles the loss of the session: another process has it, or there is a permanent error.
    func lose(_ error: DownloadError) {
        state.withLock { $0.phase = .lost(error) }
        listed.complete()
        wakeTasks()
        logger.error("session '\(identifier)': \(error)")
        session?.lost(error)
    }

    private func pause() async {
        await withDiscardingTaskGroup { group in
            group.addTask { [wanted] in
                // The sleep is cancelled if the daemon is needed.
                guard (try? await Task.sleep(for: Self.lookInterval)) != nil else { return }
                wanted.send()
            }
            await wanted.waitIgnoringCancellation()
            group.cancelAll()
        }
    }

    private static let lookInterval: Duration = .seconds(1)

    func wakeTasks() {
        for task in session?.currentTasks ?? [] { (task as? BackgroundTask)?.wakeup.send() }
    }

    /// Acknowledges to the daemon the events that were reported, as often as it can keep up.
    private func acknowledge() async {
        while !Task.isCancelled {
            await told.waitIgnoringCancellation()
            if let last = told.take().max() { await acknowledge(last) }
        }
    }

    private func acknowledge(_ last: Int64) async {
        do throws(DownloadError) {
            try await client().acknowledge(last, of: identifier)
        } catch {
            // These events are reported again when the session attaches the next time.
            logger.debug("session '\(identifier)': \(error)")
        }
    }

    private func doChores() async {
        while !Task.isCancelled {
            await chores.waitIgnoringCancellation()
            guard let client = try? client() else { continue }
            for chore in chores.take() where await !chore(client) {
                chores.post(chore)
                // If this is cancelled, one more attempt is made at the end.
                try? await Task.sleep(for: Self.lookInterval)
            }
        }
    }
}
