internal import struct FoundationEssentials.Date
internal import Glibc
internal import Logging
internal import PawlCore
internal import PawlEngine
internal import PawlWire
internal import Synchronization

/// Connects a background session to the daemon: attaches to it again and again, and sends requests
/// for which no run of a task waits.
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

    private struct State {
        var phase = Phase.connecting
        /// The session's numbers of the daemon's downloads that it knows.
        var numbers: [Int64: Int] = [:]
        /// Whether the daemon may be started: it was not ended on purpose, or is needed again.
        var mayStart = true
        /// The reason why the last attempt to reach the daemon failed; `nil` after one that did not.
        var failure: DownloadError?
        /// Whether the events that the session had missed are reported.
        var hasReplayed = false
        /// Set when the phase has changed, or those events are reported.
        var change = Completion<Void>()
        weak var session: DownloadSession?

        mutating func enter(_ phase: Phase) {
            // A session that this process has detached from, or lost, stays so.
            if case .lost = self.phase { return }
            self.phase = phase
            switch phase {
            case .connecting: break
            case .attached: failure = nil
            case .failed(let error), .lost(let error): failure = error
            }
        }
    }

    let identifier: String
    /// The first number that the session gives to a task: the microseconds since 1970.
    ///
    /// The numbers outlive the process, and nobody has created that many tasks before.
    let firstNumber = Int(Date().timeIntervalSince1970 * 1e6)
    let configuration: SessionConfiguration
    let logger: Logger
    /// Set when the session has the tasks that the daemon knew, or cannot have any.
    let listed = Completion<Void>()
    /// Set when nothing more is to be reported.
    let stopped = Completion<Void>()
    /// Set when the last event has been reported and acknowledged.
    private let acknowledgedLast = Completion<Void>()
    private let state = Mutex(State())
    /// Woken when the daemon is needed again.
    private let needed = Wakeup()
    private let requests = Mailbox<Request>()
    private let made: Result<DaemonClient, DownloadError>

    /// A request to the daemon.
    ///
    /// Returns whether it was answered; otherwise it is repeated.
    typealias Request = @Sendable (DaemonClient) async -> Bool

    init(_ identifier: String, _ configuration: SessionConfiguration, _ logger: Logger) {
        self.identifier = identifier
        self.configuration = configuration
        self.logger = logger
        made = Result { () throws(DownloadError) in DaemonClient(try .current()) }
    }

    func client() throws(DownloadError) -> DaemonClient { try made.get() }

    var phase: Phase { state.withLock { $0.phase } }
    var session: DownloadSession? { state.withLock { $0.session } }

    /// The reason why the session does not know what the daemon does: it was not reachable at the last
    /// attempt, or this process no longer has the session; `nil` if it knows.
    var failure: DownloadError? { state.withLock { $0.failure } }

    /// Attaches to the daemon, and follows its events until `stop()`.
    func start(for session: DownloadSession) {
        state.withLock { $0.session = session }
        Task.detached { await self.run() }
    }

    /// Stops following.
    ///
    /// Reported events are still acknowledged, and pending requests are sent once more.
    func stop() {
        stopped.complete()
        change { _ in }
    }

    /// Stops following when the event that is being reported has been reported.
    ///
    /// From then on this process no longer has the session, for the reason `error`.
    func detach(_ error: DownloadError) async {
        await finish()
        enter(.lost(error))
    }

    /// Whether the events that the session had missed are reported.
    var hasReplayed: Bool { state.withLock { $0.hasReplayed } }

    /// Handles that the events that the session had missed are reported.
    func replayed() { change { $0.hasReplayed = true } }

    /// Waits until the events that the session had missed are reported, while it is attached.
    func waitForReplay() async {
        while true {
            let (phase, hasReplayed, change) = state.withLock { state in
                (state.phase, state.hasReplayed, state.change)
            }
            guard case .attached = phase, !hasReplayed, !stopped.isComplete else { return }
            await change.waitIgnoringCancellation()
        }
    }

    /// Stops following, and waits until the last event is reported and acknowledged.
    func finish() async {
        stop()
        await acknowledgedLast.waitIgnoringCancellation()
    }

    /// Returns the phase when the link is attached, or cannot be attached.
    ///
    /// The daemon is started if it does not run.
    func settledPhase() async -> Phase {
        requireDaemon()
        while true {
            let (phase, change) = state.withLock { ($0.phase, $0.change) }
            guard case .connecting = phase, !stopped.isComplete else { return phase }
            await change.waitIgnoringCancellation()
        }
    }

    /// Starts the daemon, which a task needs, if it does not run.
    func requireDaemon() {
        state.withLock { state in
            state.mayStart = true
            if case .failed = state.phase { state.phase = .connecting }
        }
        needed.send()
    }

    /// Adds a request to the daemon for which no run of a task waits.
    func later(_ request: @escaping Request) { requests.post(request) }

    /// Records the session's number of the daemon's download.
    func bind(_ id: Int64, to number: Int) { state.withLock { $0.numbers[id] = number } }

    /// Whether the daemon's download has, or had, a task.
    func isBound(_ id: Int64) -> Bool { state.withLock { $0.numbers[id] != nil } }

    /// The task of the daemon's download.
    func task(_ id: Int64) -> BackgroundTask? {
        let (session, number) = state.withLock { ($0.session, $0.numbers[id]) }
        return number.flatMap { session?.task($0) } as? BackgroundTask
    }

    /// The session's tasks that the daemon runs.
    var tasks: [BackgroundTask] {
        (session?.currentTasks ?? []).compactMap { $0 as? BackgroundTask }
    }

    /// Handles that the session is attached, and has the tasks that the daemon knew.
    func attached() { enter(.attached) }

    // MARK: - Running

    private func run() async {
        let receiver = BackgroundReceiver(self)
        await withDiscardingTaskGroup { group in
            group.addTask { await receiver.acknowledge() }
            group.addTask { await self.sendRequests() }
            group.addTask {
                await self.follow(receiver)
                self.stopped.complete()
            }
            await self.stopped.waitIgnoringCancellation()
            await receiver.acknowledgeLast()
            self.acknowledgedLast.complete()
            group.cancelAll()
            receiver.wake()
            self.requests.wake()
            self.needed.send()
        }
        guard let client = try? client() else { return }
        for request in requests.take() { _ = await request(client) }
    }

    private func follow(_ receiver: BackgroundReceiver) async {
        while !stopped.isComplete {
            let mayStart = state.withLock { $0.mayStart }
            do throws(DownloadError) {
                try await receiver.receive(starting: mayStart)
                change { state in
                    state.enter(.connecting)
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
        try? await client.process.waitForEnd()
        return access(client.paths.socket, F_OK) == 0
    }

    /// Handles a missing or failing daemon: it is looked for repeatedly, and started again unless
    /// it was ended on purpose.
    ///
    /// A start may fail for a moment: a killed daemon may still hold its socket.
    private func fail(_ error: DownloadError, wasToStart: Bool) async {
        if wasToStart {
            enter(.failed(error))
        }
        await pause()
    }

    /// Handles the loss of the session: another process has it, or there is a permanent error.
    private func lose(_ error: DownloadError) {
        enter(.lost(error))
        logger.error("session '\(identifier)': \(error)")
        session?.lost()
    }

    private func pause() async {
        await withDiscardingTaskGroup { group in
            group.addTask { [needed] in
                // The sleep is cancelled if the daemon is needed.
                guard (try? await Task.sleep(for: Self.checkInterval)) != nil else { return }
                needed.send()
            }
            await needed.waitIgnoringCancellation()
            group.cancelAll()
        }
    }

    private static let checkInterval: Duration = .seconds(1)

    private func enter(_ phase: Phase) {
        change { $0.enter(phase) }
        listed.complete()
        wakeTasks()
    }

    private func change(_ body: (inout State) -> Void) {
        let change = state.withLock { state in
            body(&state)
            defer { state.change = Completion() }
            return state.change
        }
        change.complete()
    }

    private func wakeTasks() { for task in tasks { task.wake() } }

    private func sendRequests() async {
        while !Task.isCancelled {
            await requests.waitIgnoringCancellation()
            guard let client = try? client() else { continue }
            for request in requests.take() where await !request(client) {
                requests.post(request)
                // If this is cancelled, one more attempt is made at the end.
                try? await Task.sleep(for: Self.checkInterval)
            }
        }
    }
}
