package import struct FoundationEssentials.URL

/// The user's requests.
extension LibraryIndex {
    mutating func asked(_ key: StorageKey, _ ask: Ask) -> [Action] {
        guard !isClosed else {
            return [.refuse(DownloadError(.usage, "the library was closed"))]
        }
        let entry = entries[key] ?? Entry()
        if let download = entry.download, download.run != nil { return join(key, download, ask) }
        let file = entry.file.flatMap { $0.isChanged ? nil : $0 }
        if let file, ask.policy == .use { return [.give(file)] }
        var ask = ask
        if ask.url == nil, entry.download == nil, entry.file == nil, let former = formerFiles[key] {
            (ask.url, ask.name) = former
        }
        guard let url = ask.url ?? entry.download?.order.url ?? entry.file?.record.fetchableURL
        else { return [.refuse(Self.noURL(key))] }
        let (order, discards) = order(key, ask, entry)
        var download = entry.download ?? Download(order: order, phase: .paused)
        download.order = order
        download.replaced = order.replaces ? entry.file : nil
        download.order.url = url
        download.order.failure = nil
        download.renewal = LinkRenewal()
        download.waiters = ask.waits ? 1 : 0
        download.isDetached = !ask.waits
        download.renews = ask.renews
        download.isOwn = true
        download.mayBeAt = [ask.name, entry.download?.order.name].compactMap(\.self)
            .filter { $0 != order.name }
        return discards
            + start(key, download, revalidating: ask.policy == .revalidate ? file : nil)
            + [.tell(.started(key))]
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
        if ask.waits { download.waiters += 1 } else { download.isDetached = true }
        setDownload(download, of: key)
        return []
    }

    /// Returns the download to run, and the actions that delete an earlier download's bytes if they
    /// are of no use to it.
    ///
    /// A file that somebody changed keeps its name, unless it is to be replaced.
    private func order(
        _ key: StorageKey,
        _ ask: Ask,
        _ entry: Entry
    ) -> (PendingDownload, [Action]) {
        var order = entry.download?.order ?? PendingDownload(key: key, name: ask.name, url: nil)
        order.replaces = false
        if let file = entry.file, ask.policy == .reload || !file.isChanged {
            order.name = file.name
            order.replaces = true
        } else if !isFree(order.name, for: key) {
            order.name = freeName(ask.name, for: key)
        }
        guard let old = entry.download?.order, old.name != order.name else { return (order, []) }
        // Its bytes are in a file that is named after the old name.
        return (order, [.discardPart(old)])
    }

    mutating func start(
        _ key: StorageKey,
        _ download: Download,
        revalidating file: KnownFile? = nil
    ) -> [Action] {
        var download = download
        let run = nextRun()
        download.phase = .running(run)
        // The new URL is recorded when the run begins.
        download.hasNewURL = false
        setDownload(download, of: key)
        var start = Start(run: run, order: download.order, revalidates: file)
        start.replaced = download.replaced
        start.mayBeAt = download.mayBeAt
        return [.start(start)]
    }

    mutating func waiterLeft(_ key: StorageKey) -> [Action] {
        guard var download = entries[key]?.download, download.run != nil, download.waiters > 0
        else { return [] }
        download.waiters -= 1
        setDownload(download, of: key)
        return download.waiters == 0 && !download.isDetached ? stop(key, .pause) : []
    }

    mutating func stop(_ key: StorageKey, _ stop: Download.Stop) -> [Action] {
        guard var download = entries[key]?.download else { return [] }
        switch download.phase {
        case .running(let run):
            download.phase = .stopping(run, stop)
            setDownload(download, of: key)
            return [.stop(run, keeping: stop != .discard)]
        case .stopping(let run, let old):
            // Bytes that are to be deleted are no longer kept.
            guard old != .discard else { return [] }
            download.phase = .stopping(run, stop)
            setDownload(download, of: key)
            return stop == .discard ? [.stop(run, keeping: false)] : []
        case .renewing: return stopped(key, download, stop)
        case .paused, .failed:
            guard stop == .discard else { return [] }
            return stopped(key, download, stop)
        }
    }

    mutating func replaceURL(_ key: StorageKey, _ url: URL) -> [Action] {
        guard var download = entries[key]?.download else { return [] }
        download.order.url = url
        download.hasNewURL = true
        download.renewal = LinkRenewal()
        let told = Action.tell(.urlReplaced(key))
        switch download.phase {
        case .running(let run):
            download.phase = .stopping(run, .restart)
            setDownload(download, of: key)
            return [.stop(run, keeping: true), told]
        case .renewing: return start(key, download) + [told]
        case .failed:
            download.phase = .paused
            download.order.failure = nil
        case .paused, .stopping: break
        }
        setDownload(download, of: key)
        // A run records it when it begins.
        return download.run == nil ? [.save(download.order, hasEnded: false), told] : [told]
    }

    private static func noURL(_ key: StorageKey) -> DownloadError {
        DownloadError(
            .usage,
            "no URL is known for '\(key.text.sanitized(atMost: 100))'",
            advice: "request the key together with a URL"
        )
    }
}

extension FileRecord {
    /// The URL, if none of it was hidden.
    package var fetchableURL: URL? {
        guard !source.isEmpty, !source.contains("REDACTED") else { return nil }
        // A stored URL that is no longer valid cannot be fetched.
        return try? SourceURL.parse(source).url
    }
}
