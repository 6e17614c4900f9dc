internal import struct FoundationEssentials.URL

/// The ends of runs.
extension LibraryIndex {
    mutating func ended(_ key: StorageKey, _ run: RunID, _ end: RunEnd) -> [Action] {
        guard let download = entries[key]?.download, download.run == run else { return [] }
        let actions = concluded(key, download, run, end)
        guard let missed = download.missed, entries[key]?.download?.run == nil else {
            return actions
        }
        if var left = entries[key]?.download {
            left.missed = nil
            setDownload(left, of: key)
        }
        let name = download.order.name
        if case .finished(let file, _) = end, file.name == name, file.stamp == missed.stamp {
            return actions
        }
        return actions + [.lookAt(name)]
    }

    private mutating func concluded(
        _ key: StorageKey,
        _ download: Download,
        _ run: RunID,
        _ end: RunEnd
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
        }
    }

    private mutating func finished(
        _ key: StorageKey,
        _ file: KnownFile,
        _ wasFetched: Bool
    ) -> [Action] {
        setDownload(nil, of: key)
        setFile(file, of: key)
        return [.conclude(key, .success(file)), .tell(.finished(found(file)))]
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
        setDownload(download, of: key)
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
        download.order.failure = PendingDownload.Failure(error)
        setDownload(download, of: key)
        return [.conclude(key, .failure(error)), .tell(.failed(key, error))]
    }

    mutating func given(_ key: StorageKey, _ run: RunID, _ url: URL?) -> [Action] {
        guard var download = entries[key]?.download,
            case .renewing(run, let error) = download.phase
        else { return [] }
        guard let url else { return fail(key, download, error) }
        download.order.url = url
        return start(key, download) + [.tell(.urlReplaced(key))]
    }

    /// Records that the run has ended.
    mutating func stopped(
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
            setDownload(download, of: key)
            let error = DownloadError(
                .interrupted,
                "the download was paused",
                advice: "request the key again to resume"
            )
            return (download.hasNewURL ? [.save(download.order, hasEnded: true)] : [])
                + [.conclude(key, .failure(error)), .tell(.paused(key))]
        case .discard:
            setDownload(nil, of: key)
            let error = DownloadError(.cancelled, "the download was cancelled")
            return [.conclude(key, .failure(error)), .tell(.cancelled(key))]
        }
    }
}
