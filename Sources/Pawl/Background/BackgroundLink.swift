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
        /// Set when the event that came last was told.
        var telling: EndSignal?
        /// Whether the daemon may be started: it was not ended on purpose, or is wanted again.
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
    /// Set when the session has the tasks that the daemon knew, or none can be had.
    let listed = EndSignal()
    /// Set when nothing more is to be told.
    let stopped = EndSignal()
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
        state.withLock { $0.session = session }
        Task.detached { await self.run() }
    }

    /// What was told is still acknowledged, and what is to be asked is asked once more.
    func stop() { stopped.set() }

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
        await withDiscardingTaskGroup { group in
            group.addTask { await self.acknowledge() }
            group.addTask { await self.doChores() }
            group.addTask {
                await self.follow()
                self.stopped.set()
            }
            await self.stopped.waitInAnyCase()
            await self.acknowledgeLast()
            group.cancelAll()
            self.told.nudge()
            self.chores.nudge()
            self.wanted.nudge()
        }
        guard let client = try? client() else { return }
        for chore in chores.take() { _ = await chore(client) }
    }

    /// While the stream is open nobody else has the session, who would be told of it again.
    private func acknowledgeLast() async {
        await state.withLock { $0.telling }?.waitInAnyCase()
        if let last = state.withLock({ $0.lastSeen }) { await acknowledge(last) }
    }

    private func follow() async {
        while !stopped.isSet {
            let mayStart = state.withLock { $0.mayStart }
            do throws(DownloadError) {
                try await attachAndHear(starting: mayStart)
                state.withLock { state in
                    state.phase = .connecting
                    // Who ends the daemon on purpose does not want it back at once.
                    state.mayStart = false
                }
                ringTasks()
                if await wasKilled() {
                    state.withLock { $0.mayStart = true }
                } else {
                    await pause()
                }
            } catch {
                guard !stopped.isSet else { return }
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
    private func fail(_ error: DownloadError, wasToStart: Bool) async {
        if wasToStart {
            state.withLock { $0.phase = .failed(error) }
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
