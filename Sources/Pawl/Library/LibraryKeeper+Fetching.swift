internal import struct FoundationEssentials.Date
internal import struct FoundationEssentials.URL
internal import Logging
internal import PawlCore
internal import PawlEngine
internal import PawlStorage
internal import Synchronization
internal import SystemPackage

/// One run: takes the key's lock, fetches, keeps what is known of the file.
extension LibraryKeeper {
    func outcome(_ run: LibraryRun) async -> LibraryIndex.RunEnd {
        let end = await attempt(run)
        guard run.discards, case .stopped = end else { return end }
        let (order, files, engine) = (run.start.order, files, session.engine)
        do throws(DownloadError) {
            try await disk.run { () throws(DownloadError) in
                try Self.discard(order, files, engine)
            }
        } catch {
            engine.logger.warning("throwing away what came failed: \(error)")
        }
        return end
    }

    private func attempt(_ run: LibraryRun) async -> LibraryIndex.RunEnd {
        guard !run.isStopped else { return .stopped }
        let (order, folder) = (run.start.order, folder)
        do throws(DownloadError) {
            let note = try await disk.run { () throws(DownloadError) in
                try PendingNote.claim(order, in: folder)
            }
            run.noted.set()
            let end = await fetch(run, order, note)
            note.release()
            return end
        } catch {
            return .failed(error, brought: false)
        }
    }

    private func fetch(
        _ run: LibraryRun,
        _ order: PendingDownload,
        _ note: PendingNote
    ) async -> LibraryIndex.RunEnd {
        do throws(DownloadError) {
            if let file = try await finishedElsewhere(run, note) {
                return .finished(file, wasFetched: false)
            }
            guard let url = order.url else {
                throw DownloadError(.usage, "a download without a URL", advice: "give its URL")
            }
            var order = order
            if let file = run.start.revalidates {
                if try await isStillSame(file, url, of: order.key) {
                    try await remove(note)
                    return .finished(file, wasFetched: false)
                }
                order.replaces = true
                try await write(order, note)
            }
            return try await download(run, order, url, note)
        } catch {
            return run.isStopped ? .stopped : .failed(error, brought: false)
        }
    }

    private func download(
        _ run: LibraryRun,
        _ order: PendingDownload,
        _ url: URL,
        _ note: PendingNote
    ) async throws(DownloadError) -> LibraryIndex.RunEnd {
        let path = files.path(order.name)
        if order.replaces {
            // Damage that left the time as it was must not pass for the server's file.
            try await disk.run { () throws(DownloadError) in RepresentationMark.remove(from: path) }
        }
        let task = makeTask(order, url, path)
        guard run.began(task) else {
            task.end(keeping: true)
            return .stopped
        }
        task.resume()
        await task.end.waitInAnyCase()
        guard let result = task.fileOutcome else { return .stopped }
        switch result {
        case .success(let file):
            let known = try await keep(file, task, order)
            try await remove(note)
            return .finished(known, wasFetched: true)
        case .failure(let error):
            return run.isStopped ? .stopped : .failed(error, brought: task.hasReceivedBytes)
        }
    }

    private func makeTask(_ order: PendingDownload, _ url: URL, _ path: FilePath) -> DownloadTask {
        let given = state.withLock { $0.requests[order.key]?.settings }
        var settings = given ?? session.configuration.settings
        // Another's file is never replaced.
        settings.ifExists = order.replaces ? .overwrite : .rename
        var target = DownloadTask.Target(destination: .file(path.string))
        target.storageKey = order.key.text
        return session.downloadTask(DownloadRequest(url, settings: settings), target, nil)
    }

    /// Another process may have fetched it while this one waited for the lock.
    private func finishedElsewhere(
        _ run: LibraryRun,
        _ note: PendingNote
    ) async throws(DownloadError) -> KnownFile? {
        let order = run.start.order
        guard !order.replaces, run.start.revalidates == nil else { return nil }
        let (files, seen) = (files, state.withLock { $0.index.entries[order.key]?.file?.name })
        return try await disk.run { () throws(DownloadError) in
            guard let file = try files.known(seen ?? order.name), file.record.key == order.key
            else {
                return nil
            }
            try note.remove()
            return file
        }
    }

    /// One conditional request (RFC 9110 §13.1).
    private func isStillSame(
        _ file: KnownFile,
        _ url: URL,
        of key: StorageKey
    ) async throws(DownloadError) -> Bool {
        var request = DownloadRequest(url)
        request.settings = state.withLock { $0.requests[key]?.settings }
        if let tag = file.record.entityTag {
            request.fields.append(HTTPField(name: "If-None-Match", value: tag.description))
        } else if let date = file.record.lastModified {
            request.fields.append(HTTPField(name: "If-Modified-Since", value: date))
        } else {
            return false
        }
        let stream = try await session.bytes(for: request)
        // What would come is fetched by a task, which can go on later.
        stream.cancel()
        return stream.response.status == 304
    }

    private func keep(
        _ file: DownloadedFile,
        _ task: DownloadTask,
        _ order: PendingDownload
    ) async throws(DownloadError) -> KnownFile {
        var record = FileRecord(
            key: order.key,
            source: order.url ?? task.originalRequest.url,
            byteCount: file.byteCount,
            modified: 0,
            finishedAt: Int64(Date().timeIntervalSince1970)
        )
        record.digest = file.verifiedDigest
        record.entityTag = task.response?.value("ETag").flatMap(EntityTag.init(lenient:))
        record.lastModified = task.response?.value("Last-Modified")?.sanitized
        record.mediaType = task.response?.mediaType
        let name = FilePath(file.path).lastComponent?.string ?? order.name
        let (files, known, digests) = (files, record, configuration.keepsDigests)
        return try await session.engine.digests.run { () throws(DownloadError) in
            try files.note(known, on: name, digests: digests)
        }
    }

    private func remove(_ note: PendingNote) async throws(DownloadError) {
        try await disk.run { () throws(DownloadError) in try note.remove() }
    }

    private func write(
        _ order: PendingDownload,
        _ note: PendingNote
    ) async throws(DownloadError) {
        try await disk.run { () throws(DownloadError) in try note.write(order) }
    }
}

extension DownloadTask {
    fileprivate var hasReceivedBytes: Bool { monitor.metrics.bytesReceived > 0 }
}
