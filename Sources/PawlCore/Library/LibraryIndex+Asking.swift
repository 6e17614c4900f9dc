package import struct FoundationEssentials.URL

/// What users ask for.
extension LibraryIndex {
    mutating func asked(_ key: StorageKey, _ ask: Ask) -> [Action] {
        guard !isClosed else {
            return [.refuse(DownloadError(.usage, "the library was closed"))]
        }
        let entry = entries[key] ?? Entry()
        if let download = entry.download, download.run != nil { return join(key, download, ask) }
        let file = entry.file.flatMap { $0.isChanged ? nil : $0 }
        if let file, ask.policy == .use { return [.give(file)] }
        guard let url = ask.url ?? entry.download?.order.url ?? entry.file?.record.fetchableURL
        else { return [.refuse(Self.noURL(key))] }
        var download = entry.download ?? Download(order: order(key, ask, entry), phase: .paused)
        download.order.url = url
        download.order.failure = nil
        if file != nil, ask.policy == .reload { download.order.replaces = true }
        download.renewal = LinkRenewal()
        download.waiters = ask.waits ? 1 : 0
        download.isDetached = !ask.waits
        download.renews = ask.renews
        download.isOwn = true
        return start(key, download, revalidating: ask.policy == .revalidate ? file : nil)
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
                        "this download is being thrown away",
                        advice: "ask again when that is done"
                    )
                )
            ]
        }
        if case .stopping(let run, _) = download.phase {
            download.phase = .stopping(run, .restart)
        }
        if ask.waits { download.waiters += 1 } else { download.isDetached = true }
        setDownload(download, of: key)
        return []
    }

    /// A file that was changed by somebody keeps its name, unless it is to be replaced.
    private func order(_ key: StorageKey, _ ask: Ask, _ entry: Entry) -> PendingDownload {
        guard let file = entry.file, !file.isChanged || ask.policy == .reload else {
            let isTaken = entry.file.map { $0.name == ask.name } ?? false
            let name = isTaken ? FileName.numbered(ask.name, 1) : ask.name
            return PendingDownload(key: key, name: freeName(name, for: key), url: nil)
        }
        var order = PendingDownload(key: key, name: file.name, url: nil)
        order.replaces = true
        return order
    }

    mutating func start(
        _ key: StorageKey,
        _ download: Download,
        revalidating file: KnownFile? = nil
    ) -> [Action] {
        var download = download
        let run = nextRun()
        download.phase = .running(run)
        setDownload(download, of: key)
        return [.start(Start(run: run, order: download.order, revalidates: file))]
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
            // What is to be thrown away is not kept any more.
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
        // A run writes it down when it begins.
        return download.run == nil ? [.save(download.order), told] : [told]
    }

    private static func noURL(_ key: StorageKey) -> DownloadError {
        DownloadError(
            .usage,
            "nothing says where '\(key.text.sanitized(atMost: 100))' is to be fetched from",
            advice: "give its URL"
        )
    }
}

extension FileRecord {
    /// The URL where nothing of it was hidden.
    package var fetchableURL: URL? {
        guard !source.isEmpty, !source.contains("REDACTED") else { return nil }
        // What is no URL any more cannot be fetched.
        return try? SourceURL.parse(source).url
    }
}
