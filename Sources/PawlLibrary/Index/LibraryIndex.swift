internal import struct FoundationEssentials.URL
package import PawlCore

/// What a library knows: files and downloads by key.
///
/// It takes events and returns actions.
///
/// A key has at most one download. A *run* is one attempt at it, with its own number; events of an
/// older run are ignored.
package struct LibraryIndex: Sendable {
    package typealias RunID = Int64

    private let folder: String
    /// Whether the downloads continue when the library is closed.
    private let isBackground: Bool
    package private(set) var tables = LibraryTables()
    private var lastRun: RunID = 0
    private var isClosed = false

    package init(folder: String, isBackground: Bool = false) {
        (self.folder, self.isBackground) = (folder, isBackground)
    }

    /// What is known of each key.
    package var entries: [StorageKey: Entry] { tables.entries }

    /// Takes over the content of the folder.
    ///
    /// Returns actions that report what is damaged.
    package mutating func load(_ content: LibraryContent) -> [Action] { tables.load(content) }

    package mutating func handle(_ event: Event) -> [Action] {
        switch event {
        case .asked(let key, let ask): return asked(key, ask)
        case .waitCancelled(let key): return waitCancelled(key)
        case .pauseAsked(let key): return stop(key, .pause)
        case .cancelAsked(let key): return stop(key, .discard)
        case .urlReplaced(let key, let url): return replaceURL(key, url)
        case .urlGiven(let key, let run, let url): return given(key, run, url)
        case .runEnded(let key, let run, let end): return ended(key, run, end)
        case .folderChanged(let changes, let found): return tables.follow(changes, found)
        case .recorded(let file):
            tables.setFile(file, of: file.record.key)
            return []
        case .renewed(let file, let before):
            if tables.entries[file.record.key]?.file == before {
                tables.setFile(file, of: file.record.key)
            }
            return []
        case .removed(let key, let file):
            // A newer file may have taken its place meanwhile.
            guard let known = tables.entries[key]?.file, known.name == file.name,
                known.stamp == file.stamp
            else { return [] }
            return tables.follow([.removed(file.name)], [:])
        case .named(let key, let run, let name):
            guard var download = tables.entries[key]?.download, download.run == run else {
                return []
            }
            download.pending.name = name
            tables.setDownload(download, of: key)
            return []
        case .handedOver(let key, let run, let background):
            guard var download = tables.entries[key]?.download, download.run == run else {
                return []
            }
            download.pending.background = background
            tables.setDownload(download, of: key)
            return []
        case .found(let key, let task, let renews): return found(key, task, renews)
        case .closed:
            isClosed = true
            return isBackground ? [] : tables.entries.keys.flatMap { stop($0, .pause) }
        }
    }

    // MARK: - Requests

    private mutating func asked(_ key: StorageKey, _ ask: Ask) -> [Action] {
        guard !isClosed else {
            return [.refuse(DownloadError.usage("the library was closed"))]
        }
        let entry = tables.entries[key] ?? Entry()
        if let download = entry.download, download.run != nil { return join(key, download, ask) }
        let file = entry.file.flatMap { $0.isChanged ? nil : $0 }
        if let file, ask.policy == .use { return [.give(file)] }
        var ask = ask
        if ask.url == nil, entry.download == nil {
            let former = entry.file == nil ? tables.formerFile(of: key) : nil
            if let former { ask.url = former.url }
            // The default name lacks the extension of a URL that is only known from before.
            if !ask.isNameGiven, let name = entry.file?.name ?? former?.name { ask.name = name }
        }
        guard let url = ask.url ?? entry.download?.pending.url ?? entry.file?.record.fetchableURL
        else { return [.refuse(Self.noURL(key))] }
        let (pending, discards) = pending(key, ask, entry)
        var download = entry.download ?? Download(pending: pending, phase: .paused)
        download.pending = pending
        download.replaced = pending.replaces ? entry.file : nil
        download.pending.url = url
        download.pending.failure = nil
        download.renewal = LinkRenewal()
        download.waiters = ask.waits ? 1 : 0
        download.isDetached = !ask.waits
        download.renews = ask.renews
        (download.isOwn, download.isRequested) = (true, true)
        download.mayBeAt = [ask.name, entry.download?.pending.name].compactMap(\.self)
            .filter { $0 != pending.name }
        return discards
            + start(key, download, revalidating: ask.policy == .revalidate ? file : nil)
            + [.report(.started(key))]
    }

    private mutating func join(
        _ key: StorageKey,
        _ download: Download,
        _ ask: Ask
    ) -> [Action] {
        var download = download
        if case .stopping(_, .discard) = download.phase {
            return [
                .refuse(
                    DownloadError(
                        .cancelled,
                        "this download is being cancelled",
                        advice: "request it again when the cancellation has finished"
                    )
                )
            ]
        }
        if case .stopping(let run, _) = download.phase {
            download.phase = .stopping(run, .restart)
        }
        if ask.renews { download.renews = true }
        download.isRequested = true
        if ask.waits { download.waiters += 1 } else { download.isDetached = true }
        tables.setDownload(download, of: key)
        return []
    }

    /// Returns the download to run, and the actions that delete an earlier download's bytes if they
    /// are of no use to it.
    ///
    /// A file that somebody changed keeps its name, unless it is to be replaced.
    private func pending(
        _ key: StorageKey,
        _ ask: Ask,
        _ entry: Entry
    ) -> (PendingDownload, [Action]) {
        var pending = entry.download?.pending ?? PendingDownload(key: key, name: ask.name, url: nil)
        if pending.isInDaemon {
            // It continues as it was added, unless it has another URL now.
            if let url = ask.url, url != pending.url { pending.background?.isOutdated = true }
            return (pending, [])
        }
        pending.background = nil
        pending.replaces = false
        if let file = entry.file, ask.policy == .reload || !file.isChanged {
            pending.name = file.name
            pending.replaces = true
        } else if !tables.isFree(pending.name, for: key) {
            pending.name = tables.freeName(ask.name, for: key)
        }
        guard let old = entry.download?.pending, old.name != pending.name else {
            return (pending, [])
        }
        // Its bytes are in a file that is named after the old name.
        return (pending, [.discardPart(old)])
    }

    /// Follows a download of the daemon.
    private mutating func found(_ key: StorageKey, _ task: Int, _ renews: Bool) -> [Action] {
        guard var download = tables.entries[key]?.download, download.run == nil,
            download.pending.background?.task == task
        else { return [] }
        download.pending.failure = nil
        (download.isOwn, download.isDetached, download.renews) = (true, true, renews)
        download.isRequested = false
        return start(key, download)
    }

    private mutating func start(
        _ key: StorageKey,
        _ download: Download,
        revalidating file: KnownFile? = nil
    ) -> [Action] {
        var download = download
        let run = nextRun()
        download.phase = .running(run)
        // The new URL is recorded when the run begins.
        download.hasNewURL = false
        tables.setDownload(download, of: key)
        var start = Start(run: run, pending: download.pending, revalidates: file)
        start.replaced = download.replaced
        start.mayBeAt = download.mayBeAt
        return [.start(start)]
    }

    private mutating func waitCancelled(_ key: StorageKey) -> [Action] {
        guard var download = tables.entries[key]?.download, download.run != nil,
            download.waiters > 0
        else { return [] }
        download.waiters -= 1
        tables.setDownload(download, of: key)
        return download.waiters == 0 && !download.isDetached ? stop(key, .pause) : []
    }

    private mutating func stop(_ key: StorageKey, _ stop: Download.Stop) -> [Action] {
        guard var download = tables.entries[key]?.download else { return [] }
        switch download.phase {
        case .running(let run):
            download.phase = .stopping(run, stop)
            tables.setDownload(download, of: key)
            return [.stop(run, keeping: stop != .discard)]
        case .stopping(let run, let old):
            // A discard cannot be taken back by a later pause.
            guard old != .discard else { return [] }
            download.phase = .stopping(run, stop)
            tables.setDownload(download, of: key)
            return stop == .discard ? [.stop(run, keeping: false)] : []
        case .renewing: return stopped(key, download, stop)
        case .paused, .failed:
            guard stop == .discard else { return [] }
            return stopped(key, download, stop)
        }
    }

    private mutating func replaceURL(_ key: StorageKey, _ url: URL) -> [Action] {
        guard var download = tables.entries[key]?.download else { return [] }
        download.pending.setURL(url)
        download.hasNewURL = true
        download.renewal = LinkRenewal()
        let told = Action.report(.urlReplaced(key))
        switch download.phase {
        case .running(let run):
            download.phase = .stopping(run, .restart)
            tables.setDownload(download, of: key)
            return [.stop(run, keeping: true), told]
        case .renewing: return start(key, download) + [told]
        case .failed:
            download.phase = .paused
            download.pending.failure = nil
        case .paused, .stopping: break
        }
        tables.setDownload(download, of: key)
        // A run records it when it begins.
        return download.run == nil ? [.save(download.pending, hasEnded: false), told] : [told]
    }

    private static func noURL(_ key: StorageKey) -> DownloadError {
        DownloadError.usage(
            "no URL is known for '\(key.text.sanitized(atMost: 100))'",
            advice: "request the key together with a URL"
        )
    }

    // MARK: - The ends of runs

    private mutating func ended(_ key: StorageKey, _ run: RunID, _ end: RunOutcome) -> [Action] {
        guard let download = tables.entries[key]?.download, download.run == run else { return [] }
        let actions = concluded(key, download, run, end)
        guard let missed = download.missed, tables.entries[key]?.download?.run == nil else {
            return actions
        }
        if var remaining = tables.entries[key]?.download {
            remaining.missed = nil
            tables.setDownload(remaining, of: key)
        }
        let name = download.pending.name
        if case .finished(let file, _) = end, file.name == name, file.stamp == missed.stamp {
            return actions
        }
        return actions + [.check(name)]
    }

    private mutating func concluded(
        _ key: StorageKey,
        _ download: Download,
        _ run: RunID,
        _ end: RunOutcome
    ) -> [Action] {
        switch end {
        case .finished(let file, let wasFetched): return finished(key, file, wasFetched)
        case .stopped:
            guard case .stopping(_, let stop) = download.phase else {
                // The session was invalidated from outside.
                return stopped(key, download, .pause)
            }
            return stopped(key, download, stop)
        case .failed(let error, let reached):
            if case .stopping(_, let stop) = download.phase {
                return stopped(key, download, stop)
            }
            return failed(key, download, run, error, reached: reached)
        case .unreachable(let error): return unreachable(key, download, error)
        }
    }

    private mutating func finished(
        _ key: StorageKey,
        _ file: KnownFile,
        _ wasFetched: Bool
    ) -> [Action] {
        tables.setDownload(nil, of: key)
        tables.setFile(file, of: key)
        return [.conclude(key, .success(file)), .report(.finished(LibraryFile(file, in: folder)))]
    }

    private mutating func failed(
        _ key: StorageKey,
        _ download: Download,
        _ run: RunID,
        _ error: DownloadError,
        reached: Int64
    ) -> [Action] {
        var download = download
        guard download.renews, !isClosed, download.renewal.mayAsk(after: error, reached: reached)
        else {
            return fail(key, download, error)
        }
        download.phase = .renewing(run, error)
        tables.setDownload(download, of: key)
        return [.renew(key, run, error)]
    }

    private mutating func fail(
        _ key: StorageKey,
        _ download: Download,
        _ error: DownloadError
    ) -> [Action] {
        var download = download
        download.phase = .failed(error)
        download.waiters = 0
        if error.code == .alreadyRunning {
            // The note is the other process's.
            download.isOwn = false
        } else {
            download.pending.failure = PendingDownload.Failure(error)
        }
        tables.setDownload(download, of: key)
        return [.conclude(key, .failure(error)), .report(.failed(key, error))]
    }

    /// Ends the run, and keeps the download as it is: the daemon may have it.
    private mutating func unreachable(
        _ key: StorageKey,
        _ download: Download,
        _ error: DownloadError
    ) -> [Action] {
        if case .stopping(_, .pause) = download.phase { return stopped(key, download, .pause) }
        var download = download
        download.phase = isClosed ? .paused : .failed(error)
        download.waiters = 0
        tables.setDownload(download, of: key)
        let concluded = Action.conclude(key, .failure(error))
        return isClosed ? [concluded] : [concluded, .report(.failed(key, error))]
    }

    private mutating func given(_ key: StorageKey, _ run: RunID, _ url: URL?) -> [Action] {
        guard var download = tables.entries[key]?.download,
            case .renewing(run, let error) = download.phase
        else { return [] }
        guard let url else { return fail(key, download, error) }
        download.pending.setURL(url)
        return start(key, download) + [.report(.urlReplaced(key))]
    }

    /// Records that the run has ended.
    private mutating func stopped(
        _ key: StorageKey,
        _ download: Download,
        _ stop: Download.Stop
    ) -> [Action] {
        var download = download
        switch stop {
        case .restart where !isClosed: return start(key, download)
        case .restart, .pause:
            download.phase = .paused
            download.waiters = 0
            tables.setDownload(download, of: key)
            let error = DownloadError(
                .interrupted,
                "the download was paused",
                advice: "request the key again to resume"
            )
            return (download.hasNewURL ? [.save(download.pending, hasEnded: true)] : [])
                + [.conclude(key, .failure(error)), .report(.paused(key))]
        case .discard:
            tables.setDownload(nil, of: key)
            let error = DownloadError(.cancelled, "the download was cancelled")
            return [.conclude(key, .failure(error)), .report(.cancelled(key))]
        }
    }

    private mutating func nextRun() -> RunID {
        lastRun += 1
        return lastRun
    }

    // MARK: - Names

    /// Reserves a name for the key until `unreserve`.
    ///
    /// Returns `false` if the key may not have it.
    package mutating func reserve(_ name: ExactText, for key: StorageKey) -> Bool {
        tables.reserve(name, for: key)
    }

    package mutating func unreserve(_ name: ExactText) { tables.unreserve(name) }
}
