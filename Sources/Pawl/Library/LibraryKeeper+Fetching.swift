internal import struct FoundationEssentials.Date
internal import struct FoundationEssentials.URL
internal import Logging
internal import PawlCore
internal import PawlEngine
internal import PawlStorage
internal import Synchronization
internal import SystemPackage

/// One run: takes the key's lock, fetches the file, and records it.
extension LibraryKeeper {
    /// The number of attempts if another file takes the name at the last moment.
    private static let mostAttempts = 3

    func outcome(_ run: LibraryRun) async -> LibraryIndex.RunEnd {
        let end = await attempt(run)
        guard run.discards, case .stopped = end else { return end }
        // The name may have changed since the run began.
        let current = state.withLock { $0.index.entries[run.key]?.download?.order }
        let (order, files, engine) = (current ?? run.start.order, files, session.engine)
        do throws(DownloadError) {
            try await disk.run { () throws(DownloadError) in
                try Self.discard(order, files, engine)
            }
        } catch {
            engine.logger.warning("cannot delete the received bytes: \(error)")
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
            run.claimed()
            let end = await fetch(run, order, note)
            if case .failed(let error, _) = end { await write(error, of: run, in: note) }
            note.release()
            return end
        } catch {
            return .failed(error, reached: 0)
        }
    }

    /// Writes a failure into the download's note, before anybody is told and before the key is
    /// free.
    private func write(_ error: DownloadError, of run: LibraryRun, in note: PendingNote) async {
        // The name may have changed since the run began.
        let current = state.withLock { $0.index.entries[run.key]?.download?.order }
        var order = current ?? run.start.order
        order.failure = PendingDownload.Failure(error)
        let failed = order
        do throws(DownloadError) {
            try await disk.run { () throws(DownloadError) in try note.write(failed) }
        } catch {
            session.engine.logger.warning("cannot record a failure: \(error)")
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
                throw DownloadError(.usage, "the download has no URL", advice: "give its URL")
            }
            if let file = run.start.revalidates, try await isStillSame(file, url, of: order.key),
                let file = try await current(file)
            {
                try await remove(note)
                return .finished(file, wasFetched: false)
            }
            return try await download(run, order, url, note)
        } catch {
            return run.isStopped ? .stopped : .failed(error, reached: 0)
        }
    }

    private func download(
        _ run: LibraryRun,
        _ order: PendingDownload,
        _ url: URL,
        _ note: PendingNote
    ) async throws(DownloadError) -> LibraryIndex.RunEnd {
        var order = order
        for _ in 0..<Self.mostAttempts {
            order = try await prepared(order, run, note)
            let task = makeTask(order, url, run.start.replaced)
            guard run.began(task) else {
                task.end(keeping: true)
                return .stopped
            }
            task.resume()
            await task.end.waitIgnoringCancellation()
            switch task.fileOutcome {
            case nil: return .stopped
            case .success(let file):
                if let known = try await keep(file, task, order) {
                    try await remove(note)
                    return .finished(known, wasFetched: true)
                }
                // A file with the same bytes exists and belongs to somebody else. A key has its own
                // file.
                order.replaces = false
            case .failure(let error):
                return run.isStopped
                    ? .stopped : .failed(error, reached: task.currentProgress.completedBytes)
            }
        }
        throw DownloadError(.fileExists, while: .create, files.path(order.name))
    }

    /// Prepares the order.
    ///
    /// Files that are in the way are found before the download begins, so that its note contains
    /// the final name.
    private func prepared(
        _ order: PendingDownload,
        _ run: LibraryRun,
        _ note: PendingNote
    ) async throws(DownloadError) -> PendingDownload {
        let (files, key) = (files, order.key)
        guard !order.replaces else {
            let path = files.path(order.name)
            // Damage that left the modification time unchanged must not pass for the server's file.
            try await disk.run { () throws(DownloadError) in RepresentationMark.remove(from: path) }
            return order
        }
        let name = try await disk.run { () throws(DownloadError) in
            try FreeName.first(of: order.name) { (name) throws(DownloadError) in
                try self.claim(name, for: key)
            }
        }
        guard let name else {
            throw DownloadError(.fileExists, while: .create, files.path(order.name))
        }
        // If the name has become the download's own by then, the claim is not needed any more.
        defer { state.withLock { $0.index.unclaim(name) } }
        let (engine, hasNewName) = (session.engine, name != order.name)
        var renamed = order
        renamed.name = name
        if hasNewName {
            let new = renamed
            try await disk.run { () throws(DownloadError) in
                try note.write(new)
                Self.discardPart(order, files, engine)
            }
        }
        handle(.named(key, run.start.run, name))
        return renamed
    }

    /// Claims a name that neither another key nor a file on the disk has.
    private func claim(_ name: String, for key: StorageKey) throws(DownloadError) -> Bool {
        guard state.withLock({ $0.index.claim(name, for: key) }) else { return false }
        var isFree = false
        defer { if !isFree { state.withLock { $0.index.unclaim(name) } } }
        isFree = try files.isFree(name, for: key)
        return isFree
    }

    private func makeTask(
        _ order: PendingDownload,
        _ url: URL,
        _ replaced: KnownFile?
    ) -> DownloadTask {
        var settings = givenSettings(of: order.key, for: url) ?? session.configuration.settings
        // A file of somebody else is never replaced, nor one that was changed after the request to
        // replace it.
        settings.ifExists = order.replaces && replaced != nil ? .overwrite : .rename
        var target = DownloadTask.Target(destination: .file(files.path(order.name).string))
        target.storageKey = order.key.text
        target.replaces = replaced?.stamp
        return session.downloadTask(DownloadRequest(url, settings: settings), target, nil)
    }

    /// Returns the settings given for a key, without secrets of an origin other than that of `url`,
    /// which may have changed since.
    private func givenSettings(of key: StorageKey, for url: URL) -> DownloadSettings? {
        let request = state.withLock { $0.requests[key] }
        return request?.settings?.moved(from: request?.settingsURL, to: url)
    }

    /// Returns a file that another process fetched while this one waited for the lock.
    private func finishedElsewhere(
        _ run: LibraryRun,
        _ note: PendingNote
    ) async throws(DownloadError) -> KnownFile? {
        let order = run.start.order
        guard !order.replaces else { return nil }
        let (files, seen) = (files, state.withLock { $0.index.entries[order.key]?.file?.name })
        let names = [seen, order.name].compactMap(\.self) + run.start.mayBeAt
        return try await disk.run { () throws(DownloadError) in
            guard let file = try files.known(order.key, among: names) else { return nil }
            try note.remove()
            return file
        }
    }

    /// Returns the file's state after the server was asked; `nil` if it is no longer the same file.
    private func current(_ file: KnownFile) async throws(DownloadError) -> KnownFile? {
        let (files, key) = (files, file.record.key)
        let names = [state.withLock { $0.index.entries[key]?.file?.name }, file.name]
        return try await disk.run { () throws(DownloadError) in
            guard let now = try files.known(key, among: names.compactMap(\.self)),
                now.record.entityTag == file.record.entityTag,
                now.record.lastModified == file.record.lastModified
            else { return nil }
            return now
        }
    }

    /// Sends one conditional request (RFC 9110 §13.1).
    private func isStillSame(
        _ file: KnownFile,
        _ url: URL,
        of key: StorageKey
    ) async throws(DownloadError) -> Bool {
        var request = DownloadRequest(url)
        request.settings = givenSettings(of: key, for: url)
        if let tag = file.record.entityTag {
            request.fields.append(HTTPField(name: "If-None-Match", value: tag.description))
        } else if let date = file.record.lastModified {
            request.fields.append(HTTPField(name: "If-Modified-Since", value: date))
        } else {
            return false
        }
        let stream = try await session.bytes(for: request)
        // The new content is fetched by a task, which can be resumed later.
        stream.cancel()
        let response = stream.response
        return response.status == 304 || file.record.isProvenSame(by: response)
    }

    /// Records the file.
    ///
    /// Returns `nil` if it existed before and is not the key's.
    private func keep(
        _ file: DownloadedFile,
        _ task: DownloadTask,
        _ order: PendingDownload
    ) async throws(DownloadError) -> KnownFile? {
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
            guard !file.wasAlreadyThere || files.isOwn(name, order.key) else { return nil }
            return try files.note(known, on: name, digests: digests)
        }
    }

    private func remove(_ note: PendingNote) async throws(DownloadError) {
        try await disk.run { () throws(DownloadError) in try note.remove() }
    }
}

extension FileRecord {
    /// Whether a complete answer is of this file: some servers ignore a condition and send the
    /// whole file with the same strong entity tag (RFC 9110 §8.8.3).
    fileprivate func isProvenSame(by response: DownloadResponse) -> Bool {
        guard response.status == 200, let entityTag,
            let tag = response.value("ETag").flatMap(EntityTag.init(lenient:)),
            entityTag.matchesStrongly(tag),
            response.value("Content-Encoding") == nil
        else { return false }
        return response.value("Content-Length").flatMap { Int64($0) } ?? byteCount == byteCount
    }
}
