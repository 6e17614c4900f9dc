internal import struct FoundationEssentials.URL
internal import Pawl
internal import PawlCore
internal import PawlStorage
internal import Synchronization

/// The index of an open library behind a lock, with the runs and the callers that wait for them.
///
/// It carries out at once what needs neither the disk nor the network, and gives the rest to the
/// runner.
final class SharedIndex: Sendable {
    private typealias Answer = Completion<Result<KnownFile, DownloadError>>

    private struct State {
        var index: LibraryIndex
        var runs: [LibraryIndex.RunID: LibraryRun] = [:]
        /// The last run that has ended of each key that is not finished.
        var lastEnds: [StorageKey: LibraryIndex.RunID] = [:]
        /// What the tasks that requested a key wait for.
        var answers: [StorageKey: Answer] = [:]
        /// The requests for keys that are not finished.
        var requests: [StorageKey: LibraryRequest] = [:]
        /// The names that a check of the folder may have read too early.
        var touched = TouchedNames()
    }

    /// What is known of a key, and the task that fetches it now.
    struct Known: Sendable {
        var entry: LibraryIndex.Entry
        var task: DownloadTask?
        /// The last run that has ended; `nil` if none has, or the key is finished.
        var lastEnd: LibraryIndex.RunID?
    }

    /// The work for the runner, in order.
    let work = Mailbox<LibraryWork>()
    private let state: Mutex<State>
    private let events: EventFeeds<LibraryEvent>
    private let policy: FinishedFilePolicy
    private let renewURL: URLRenewal?

    init(folder: String, _ configuration: LibraryConfiguration, _ events: EventFeeds<LibraryEvent>)
    {
        let isBackground = configuration.session.kind.isBackground
        state = Mutex(State(index: LibraryIndex(folder: folder, isBackground: isBackground)))
        self.events = events
        policy = configuration.finishedFilePolicy
        renewURL = configuration.renewURL
    }

    // MARK: - Reading

    func entry(_ key: StorageKey) -> LibraryIndex.Entry? {
        state.withLock { $0.index.entries[key] }
    }

    /// Returns what is known of these keys; `nil` for all keys.
    func known(_ keys: [StorageKey]? = nil) -> [StorageKey: Known] {
        state.withLock { state in
            (keys ?? Array(state.index.entries.keys)).reduce(into: [:]) { known, key in
                guard let entry = state.index.entries[key] else { return }
                let run = entry.download?.run.flatMap { state.runs[$0] }
                known[key] = Known(entry: entry, task: run?.task, lastEnd: state.lastEnds[key])
            }
        }
    }

    /// Returns the run that fetches a key now.
    func run(of key: StorageKey) -> LibraryRun? {
        state.withLock { state in
            state.index.entries[key]?.download?.run.flatMap { state.runs[$0] }
        }
    }

    /// Returns the request for a key that is not finished.
    func request(for key: StorageKey) -> LibraryRequest? { state.withLock { $0.requests[key] } }

    // MARK: - Requests

    /// Starts the download if necessary, and waits for the file.
    func file(
        _ key: StorageKey,
        _ request: LibraryRequest
    ) async -> Result<KnownFile, DownloadError> {
        guard !Task.isCancelled else { return .failure(Self.waitCancelled) }
        let answer = state.withLock { state in
            let answer = state.answers[key] ?? Answer()
            if let result = ask(key, request, waits: true, &state) {
                let known = Answer()
                known.complete(with: result)
                return known
            }
            state.answers[key] = answer
            return answer
        }
        if let result = await answer.wait() { return result }
        return state.withLock { state in
            // The answer may have come since the task was cancelled.
            if let result = answer.value { return result }
            perform(state.index.handle(.waitCancelled(key)), &state)
            return .failure(Self.waitCancelled)
        }
    }

    /// Starts the download if necessary.
    func begin(_ key: StorageKey, _ request: LibraryRequest) throws(DownloadError) {
        let answer = state.withLock { state in ask(key, request, waits: false, &state) }
        if case .failure(let error) = answer { throw error }
    }

    /// Continues a download from another URL.
    ///
    /// Returns whether there is an unfinished download of that key.
    func replaceURL(_ url: URL, _ key: StorageKey) -> Bool {
        state.withLock { state in
            let isThere = state.index.entries[key]?.download != nil
            state.requests[key]?.url = url
            perform(state.index.handle(.urlReplaced(key, url)), &state)
            return isThere
        }
    }

    /// Sends the request to the index.
    ///
    /// Returns `nil` if the answer follows later.
    private func ask(
        _ key: StorageKey,
        _ request: LibraryRequest,
        waits: Bool,
        _ state: inout State
    ) -> Result<KnownFile, DownloadError>? {
        let givenName = request.usableName
        var ask = LibraryIndex.Ask(
            url: request.url,
            name: ExactText(givenName ?? request.defaultName(for: key)),
            policy: request.policy ?? policy,
            waits: waits
        )
        ask.isNameGiven = givenName != nil
        // A closure that was given earlier counts, too.
        let renewal = request.renewURL ?? state.requests[key]?.renewURL
        ask.renews = (renewal ?? renewURL) != nil
        let isRunning = state.index.entries[key]?.download?.run != nil
        let actions = state.index.handle(.asked(key, ask))
        for action in actions {
            switch action {
            case .give(let file): return .success(file)
            case .refuse(let error): return .failure(error)
            default: break
            }
        }
        // A caller that joins does not change the settings, but its closure may be the only one for
        // new URLs.
        var remembered = isRunning ? state.requests[key] ?? LibraryRequest() : request
        if !remembered.changesSettings {
            remembered.takeChanges(of: state.requests[key])
        } else if !isRunning {
            remembered.adjustmentURL = state.index.entries[key]?.download?.pending.url
        }
        remembered.renewURL =
            isRunning ? state.requests[key]?.renewURL ?? request.renewURL : renewal
        state.requests[key] = remembered
        // Its task may have been paused, even in the daemon.
        if isRunning, case .running(let run)? = state.index.entries[key]?.download?.phase {
            state.runs[run]?.task?.resume()
        }
        // Nobody waits for the key yet.
        perform(actions, &state)
        return nil
    }

    private static let waitCancelled = DownloadError(
        .interrupted,
        "the wait was cancelled",
        advice: "request the key again to resume"
    )

    // MARK: - Names

    /// Returns what is known of a key, and a name that nothing but the key itself has or will have.
    func entry(
        _ key: StorageKey,
        andFreeName name: ExactText
    ) -> (entry: LibraryIndex.Entry?, name: ExactText) {
        state.withLock { ($0.index.entries[key], $0.index.tables.freeName(name, for: key)) }
    }

    /// Reserves a name for the key until `unreserve`.
    ///
    /// Returns `false` if the key may not have it.
    func reserve(_ name: ExactText, for key: StorageKey) -> Bool {
        state.withLock { $0.index.reserve(name, for: key) }
    }

    func unreserve(_ name: ExactText) { state.withLock { $0.index.unreserve(name) } }

    // MARK: - Events

    func handle(_ event: LibraryIndex.Event) {
        state.withLock { state in perform(state.index.handle(event), &state) }
    }

    /// Handles an event after a change on disk under a key's names.
    func handle(_ event: LibraryIndex.Event, changing key: StorageKey) {
        state.withLock { state in change(event, key, &state) }
    }

    /// Follows the daemon's task of that number if it is the key's: returns the run, which starts
    /// if necessary.
    func follow(_ key: StorageKey, _ number: Int, _ task: DownloadTask?) -> LibraryRun? {
        state.withLock { state in
            let renews = (state.requests[key]?.renewURL ?? renewURL) != nil
            perform(state.index.handle(.found(key, task: number, renews: renews)), &state, task)
            guard let download = state.index.entries[key]?.download,
                download.pending.background?.task == number
            else { return nil }
            return download.run.flatMap { state.runs[$0] }
        }
    }

    /// Records the end of a run.
    func ended(_ run: LibraryRun, _ end: LibraryIndex.RunOutcome) {
        state.withLock { state in
            state.runs[run.start.run] = nil
            change(.runEnded(run.key, run.start.run, end), run.key, &state)
            let isPending = state.index.entries[run.key]?.download != nil
            state.lastEnds[run.key] = isPending ? run.start.run : nil
        }
    }

    /// Takes over the content of the folder.
    ///
    /// Its damage is reported to the first reader of events.
    func load(_ content: LibraryContent) {
        state.withLock { state in
            for case .report(let event) in state.index.load(content) { events.keep(event) }
        }
    }

    private func change(_ event: LibraryIndex.Event, _ key: StorageKey, _ state: inout State) {
        let before = state.index.tables.names(of: key)
        let actions = state.index.handle(event)
        // Whoever is checking the folder now checks these names again.
        let note = ExactText(LibraryName.pendingName(form: key.fileName))
        state.touched.add(before.union(state.index.tables.names(of: key)).union([note]))
        perform(actions, &state)
    }

    /// Carries out actions; `found` is the daemon's task that a started run follows.
    private func perform(
        _ actions: [LibraryIndex.Action],
        _ state: inout State,
        _ found: DownloadTask? = nil
    ) {
        for action in actions {
            switch action {
            case .start(let start):
                let run = LibraryRun(start, found)
                state.runs[start.run] = run
                work.post(.run(run))
            case .stop(let id, let keeping):
                state.runs[id]?.stop(keeping: keeping)
                work.post(.stopped)
            case .renew(let key, let run, let error): work.post(.renew(key, run, error))
            case .conclude(let key, let result):
                state.answers.removeValue(forKey: key)?.complete(with: result)
                if state.index.entries[key]?.download == nil { state.requests[key] = nil }
            case .report(let event): events.post(event)
            case .check(let name): work.post(.check([name]))
            case .save, .discardPart, .moveRecord: work.post(.disk(action))
            case .give, .refuse: break
            }
        }
    }

    // MARK: - Checks of the folder

    /// Notes from now on which names downloads touch, until `endCheck`.
    func beginCheck() -> TouchedNames.Check { state.withLock { $0.touched.begin() } }

    func endCheck(_ check: TouchedNames.Check) { state.withLock { $0.touched.end(check) } }

    /// The next step of a check of the folder.
    enum CheckStep {
        /// The changes were followed.
        case done
        /// Check which files have these names.
        case check(Set<ExactText>)
        /// Search all files of the folder for those that had these names.
        case search(for: Set<ExactText>)
    }

    /// Follows the changes if everything about them is known.
    ///
    /// Names that a download has touched since they were checked are checked again.
    func follow(_ check: inout FolderCheck, _ number: TouchedNames.Check) -> CheckStep {
        state.withLock { state in
            check.forget(state.touched.take(number))
            let names = check.missing(for: state.index)
            guard names.isEmpty else { return .check(names) }
            let lost = check.lost(for: state.index)
            guard lost.isEmpty else { return .search(for: lost) }
            perform(state.index.handle(check.event(for: state.index)), &state)
            return .done
        }
    }

    /// Records a search for the files that had these names.
    func searched(
        _ names: Set<ExactText>,
        among files: [ExactText: FileStamp],
        _ check: inout FolderCheck
    ) {
        state.withLock { check.searched(names, among: files, for: $0.index) }
    }
}
