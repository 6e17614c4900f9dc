internal import Glibc
internal import Logging
internal import PawlCore
internal import PawlEngine
internal import PawlWire
internal import Synchronization

/// What binds a background session to the daemon: attaches to it, hears what happens there, and
/// acknowledges what the session has told of it.
///
/// Events are taken one at a time, each to its end: so they are told in order, and what is
/// acknowledged was told.
final class BackgroundLink: Sendable {
    /// Whether the daemon can be asked.
    enum Phase: Sendable {
        case connecting
        case attached
        /// There is none, and none could be started.
        case failed(DownloadError)
        /// The session is another process's, or never was to be had.
        case lost(DownloadError)
    }

    struct State {
        var phase = Phase.connecting
        var wasAttached = false
        /// The session's number of each of the daemon's downloads that it knows.
        var numbers: [Int64: Int] = [:]
        /// The daemon's downloads of the session, as it was attached.
        var there: Set<Int64> = []
        /// The newest event that was taken.
        var lastSeen: Int64?
        /// Whether the daemon may be started: it was not ended on purpose, or is wanted again.
        var mayStart = true
        var hasReplayed = false
        var runner: Task<Void, Never>?
        weak var session: DownloadSession?
    }

    let identifier: String
    /// The first number that the session gives to a task.
    let firstNumber: Int
    let configuration: SessionConfiguration
    let logger: Logger
    let state = Mutex(State())
    /// Set when the session has the tasks that the daemon knew, or none can be had.
    let listed = EndSignal()
    /// Rings where the daemon is wanted again.
    private let wanted = Mailbox<Never>()
    /// The newest event that was told, for the daemon.
    let told = Mailbox<Int64>()
    private let chores = Mailbox<Chore>()
    private let made: Result<DaemonClient, DownloadError>

    /// Returns whether it was answered; else it is asked again.
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

    /// Attaches, and follows until `stop()`.
    func start(for session: DownloadSession) {
        state.withLock { state in
            state.session = session
            state.runner = Task.detached { await self.run() }
        }
    }

    /// What was told is still acknowledged, and what is to be asked is asked once more.
    func stop() { state.withLock { $0.runner }?.cancel() }

    /// A task needs the daemon: it is started where it is not there.
    func want() {
        state.withLock { state in
            state.mayStart = true
            if case .failed = state.phase { state.phase = .connecting }
        }
        wanted.nudge()
    }

    /// Something that is to be asked of the daemon, and that no run of a task waits for.
    func later(_ chore: @escaping Chore) { chores.post(chore) }

    func bind(_ id: Int64, to number: Int) { state.withLock { $0.numbers[id] = number } }

    // MARK: - Running

    private func run() async {
        await withTaskCancellationHandler {
            await withDiscardingTaskGroup { group in
                group.addTask { await self.acknowledge() }
                group.addTask { await self.doChores() }
                await self.follow()
                group.cancelAll()
                self.told.nudge()
                self.chores.nudge()
            }
        } onCancel: {
            wanted.nudge()
        }
        // What was told last, which a cancelled task could not say any more.
        await Task.detached {
            if let last = self.state.withLock({ $0.lastSeen }) { await self.acknowledge(last) }
            guard let client = try? self.client() else { return }
            for chore in self.chores.take() { _ = await chore(client) }
        }.value
    }

    private func follow() async {
        while !Task.isCancelled {
            do throws(DownloadError) {
                try await attachAndHear()
                state.withLock { $0.phase = .connecting }
                ringTasks()
                // Who ends the daemon on purpose does not want it back at once.
                let wasKilled = await wasKilled()
                state.withLock { $0.mayStart = wasKilled }
                if !wasKilled { await pause() }
            } catch {
                guard !Task.isCancelled else { return }
                guard error.code != .alreadyRunning, error.code != .usage else {
                    return lose(error)
                }
                await fail(error)
            }
        }
    }

    /// Whether the daemon, whose stream has ended, has not wound up: then its socket is still there.
    private func wasKilled() async -> Bool {
        guard let client = try? client() else { return false }
        // One that winds up for too long is as good as killed.
        try? await client.waitForEnd()
        return access(client.places.socket, F_OK) == 0
    }

    /// The daemon is not there, or cannot do it now: it is looked for again and again, and started
    /// again unless it was ended on purpose.
    ///
    /// A start may fail for a moment: one that was killed may still hold its socket.
    private func fail(_ error: DownloadError) async {
        let wasToStart = state.withLock { state in
            if state.mayStart { state.phase = .failed(error) }
            return state.mayStart
        }
        if wasToStart {
            listed.set()
            ringTasks()
        }
        await pause()
    }

    /// Another process has the session, or something is wrong for good.
    func lose(_ error: DownloadError) {
        state.withLock { $0.phase = .lost(error) }
        listed.set()
        ringTasks()
        logger.error("session '\(identifier)': \(error)")
        session?.lost(error)
    }

    private func pause() async {
        await withDiscardingTaskGroup { group in
            group.addTask { [wanted] in
                // Cancelled means that it is wanted already.
                guard (try? await Task.sleep(for: Self.lookInterval)) != nil else { return }
                wanted.nudge()
            }
            await wanted.wait()
            group.cancelAll()
        }
    }

    private static let lookInterval: Duration = .seconds(1)

    func ringTasks() {
        for task in session?.currentTasks ?? [] { (task as? BackgroundTask)?.bell.nudge() }
    }

    /// Tells the daemon up to where everything was told, as often as it can keep up.
    private func acknowledge() async {
        while !Task.isCancelled {
            await told.wait()
            if let last = told.take().max() { await acknowledge(last) }
        }
    }

    private func acknowledge(_ last: Int64) async {
        do throws(DownloadError) {
            try await client().acknowledge(last, of: identifier)
        } catch {
            // It is told again when the session attaches the next time.
            logger.debug("session '\(identifier)': \(error)")
        }
    }

    private func doChores() async {
        while !Task.isCancelled {
            await chores.wait()
            guard let client = try? client() else { continue }
            for chore in chores.take() where await !chore(client) {
                chores.post(chore)
                // Cancelled, it is tried once more at the end.
                try? await Task.sleep(for: Self.lookInterval)
            }
        }
    }
}
