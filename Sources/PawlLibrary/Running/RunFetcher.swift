internal import struct FoundationEssentials.Date
internal import struct FoundationEssentials.URL
internal import Logging
internal import Pawl
internal import PawlCore
internal import PawlEngine
internal import PawlStorage
internal import Synchronization
internal import SystemPackage

/// One run: takes the key's lock, fetches the file, and records it.
struct RunFetcher: Sendable {
    /// The number of attempts if another file takes the name at the last moment.
    private static let mostAttempts = 3
    /// How long another process may take to release a key whose session it has lost.
    private static let patience: Duration = .seconds(10)

    private let run: LibraryRun
    private let library: LibraryContext

    init(_ run: LibraryRun, _ library: LibraryContext) {
        self.run = run
        self.library = library
    }

    func outcome() async -> LibraryIndex.RunOutcome {
        let end = await attempt()
        guard run.discards, case .stopped = end else { return end }
        let pending = currentPending
        do throws(DownloadError) {
            try await library.discard(pending)
        } catch {
            guard !library.isInDaemon(pending) else { return .unreachable(error) }
            library.session.engine.logger.warning("cannot delete the received bytes: \(error)")
        }
        return end
    }

    /// The download as it is now: its name may have changed since the run began.
    private var currentPending: PendingDownload {
        library.index.entry(run.key)?.download?.pending ?? run.start.pending
    }

    private func attempt() async -> LibraryIndex.RunOutcome {
        let pending = run.start.pending
        // A task of the daemon must be stopped, too.
        guard !run.isStopped || library.isInDaemon(pending) else { return .stopped }
        if let error = library.session.backgroundLoss { return .unreachable(error) }
        do throws(DownloadError) {
            if let file = try await recordForOtherSession(pending) {
                return .finished(file, wasFetched: false)
            }
            let note = try await lockKey(pending)
            run.keyLocked()
            let end = await fetch(pending, note)
            if case .failed(let error, _) = end { await write(error, in: note) }
            note.release()
            return end
        } catch {
            return .failed(error, reached: 0)
        }
    }

    /// Writes a failure into the download's note, before anybody is told and before the key is
    /// free.
    private func write(_ error: DownloadError, in note: PendingNote) async {
        var pending = currentPending
        pending.failure = PendingDownload.Failure(error)
        let failed = pending
        do throws(DownloadError) {
            try await library.disk.run { () throws(DownloadError) in try note.write(failed) }
        } catch {
            library.session.engine.logger.warning("cannot record a failure: \(error)")
        }
    }

    private func fetch(
        _ pending: PendingDownload,
        _ note: PendingNote
    ) async -> LibraryIndex.RunOutcome {
        do throws(DownloadError) {
            if let file = try await finishedElsewhere(note) {
                return .finished(file, wasFetched: false)
            }
            if library.isInDaemon(pending), let end = try await follow(pending, note) { return end }
            guard let url = pending.url else {
                throw .usage("the download has no URL", advice: "give its URL")
            }
            if let file = run.start.revalidates, try await isStillSame(file, url),
                let file = try await current(file)
            {
                try await remove(note)
                return .finished(file, wasFetched: false)
            }
            return try await download(pending, url, note)
        } catch {
            if let loss = library.session.backgroundLoss { return .unreachable(loss) }
            return run.isStopped ? .stopped : .failed(error, reached: 0)
        }
    }

    /// Locks the key.
    private func lockKey(_ pending: PendingDownload) async throws(DownloadError) -> PendingNote {
        let (library, time) = (library, library.session.engine.time)
        let deadline = time.now() + Self.patience
        while true {
            do throws(DownloadError) {
                return try await library.disk.run { () throws(DownloadError) in
                    try PendingNote.claim(pending, in: library.folder, session: library.identifier)
                }
            } catch {
                // This process has the session. A process that had the session before is about to
                // release the key.
                guard error.code == .alreadyRunning, library.isInDaemon(pending), !run.isStopped,
                    library.session.backgroundLoss == nil, time.now() < deadline
                else { throw error }
                // Only cancelling the run ends this early.
                try? await time.sleep(until: time.now() + .milliseconds(50))
            }
        }
    }

    // MARK: - Downloads of the daemon

    /// Follows the daemon's download.
    ///
    /// Returns `nil` if another download must take its place.
    private func follow(
        _ pending: PendingDownload,
        _ note: PendingNote
    ) async throws(DownloadError) -> LibraryIndex.RunOutcome? {
        guard let background = pending.background else { return nil }
        var task = run.found
        if task == nil {
            do throws(DownloadError) {
                task = try await library.session.backgroundTask(background.task)
            } catch {
                return .unreachable(error)
            }
        }
        if let task, background.isOutdated, !run.isStopped {
            _ = await task.cancelByProducingResumeData()
            return nil
        }
        if let task, let end = try await finish(task, pending, note) { return end }
        if let file = try await unrecorded(pending, note) {
            return .finished(file, wasFetched: true)
        }
        let isRequested = library.index.entry(run.key)?.download?.isRequested ?? false
        guard !isRequested || run.isStopped else { return nil }
        throw DownloadError(
            .cancelled,
            "the daemon does not have the download of '\(run.key.text.sanitized(atMost: 100))'",
            advice: "request it again: it continues from the bytes received so far"
        )
    }

    /// Records a file that the daemon has finished for another session, and nobody has recorded.
    private func recordForOtherSession(
        _ pending: PendingDownload
    ) async throws(DownloadError) -> KnownFile? {
        guard pending.isInDaemon, !library.isInDaemon(pending) else { return nil }
        let (folder, key) = (library.folder, pending.key)
        let taken = try await library.disk.run { () throws(DownloadError) in
            try PendingNote.take(key, in: folder)
        }
        guard let (note, noted) = taken else { return nil }
        defer { note.release() }
        return try await unrecorded(noted, note)
    }

    /// Records a file that the daemon has finished, and nobody has recorded.
    private func unrecorded(
        _ pending: PendingDownload,
        _ note: PendingNote
    ) async throws(DownloadError) -> KnownFile? {
        let (files, digests) = (library.files, library.configuration.keepsDigests)
        return try await library.session.engine.digests.run { () throws(DownloadError) in
            guard let record = LibraryScan(files.folder).finished(pending)?.record else {
                return nil
            }
            let file = try files.note(record, on: pending.name, digests: digests)
            try note.remove()
            return file
        }
    }

    /// Ends a run that was stopped, and whose task has not ended.
    private func stopped(_ task: DownloadTask) async -> LibraryIndex.RunOutcome {
        if library.identifier == nil {
            task.end(keeping: true)
        } else if run.discards {
            task.cancel()
            await task.end.waitIgnoringCancellation()
        } else {
            await task.pause()
        }
        return .stopped
    }

    // MARK: - Downloading

    private func download(
        _ pending: PendingDownload,
        _ url: URL,
        _ note: PendingNote
    ) async throws(DownloadError) -> LibraryIndex.RunOutcome {
        var pending = pending
        for _ in 0..<Self.mostAttempts {
            pending = try await prepared(pending, note)
            if let loss = library.session.backgroundLoss { return .unreachable(loss) }
            let task = makeTask(pending, url)
            pending = try await handOver(pending, task, note)
            if let end = try await finish(task, pending, note) { return end }
            pending.replaces = false
        }
        throw DownloadError(.fileExists, while: .create, library.files.path(pending.name))
    }

    /// Writes into the note that the daemon will have the download, if it will.
    private func handOver(
        _ pending: PendingDownload,
        _ task: DownloadTask,
        _ note: PendingNote
    ) async throws(DownloadError) -> PendingDownload {
        guard let identifier = library.identifier else { return pending }
        let number = task.taskIdentifier
        let background = PendingDownload.Background(session: identifier, task: number)
        var pending = pending
        pending.background = background
        task.taskDescription = pending.key.text
        do throws(DownloadError) {
            try await library.disk.run { [pending] () throws(DownloadError) in
                try note.write(pending)
            }
        } catch {
            task.end(keeping: true)
            throw error
        }
        library.index.handle(.handedOver(run.key, run.start.run, background))
        return pending
    }

    /// Runs a task to its end, and records its file.
    ///
    /// Returns `nil` if a file with the same bytes exists and belongs to somebody else: a key has
    /// its own file.
    private func finish(
        _ task: DownloadTask,
        _ pending: PendingDownload,
        _ note: PendingNote
    ) async throws(DownloadError) -> LibraryIndex.RunOutcome? {
        guard run.began(task) else { return await stopped(task) }
        task.resume()
        await run.waitForEnd(of: task)
        let stop = task.fileOutcome == nil ? await stopped(task) : .stopped
        switch task.fileOutcome {
        case nil: return stop
        case .success(let file):
            guard let known = try await keep(file, task, pending) else { return nil }
            try await remove(note)
            return .finished(known, wasFetched: true)
        case .failure(let error):
            if run.isStopped { return .stopped }
            if let loss = library.session.backgroundLoss { return .unreachable(loss) }
            // The daemon may have the download: its answer may have been lost.
            if library.identifier != nil, error.code == .daemonUnavailable {
                return .unreachable(error)
            }
            return .failed(error, reached: task.currentProgress.completedBytes)
        }
    }

    /// Prepares the pending download.
    ///
    /// Files that are in the way are found before the download begins, so that its note contains
    /// the final name.
    private func prepared(
        _ pending: PendingDownload,
        _ note: PendingNote
    ) async throws(DownloadError) -> PendingDownload {
        let (library, files) = (library, library.files)
        guard !pending.replaces else {
            let path = files.path(pending.name)
            // Damage that left the modification time unchanged must not pass for the server's file.
            try await library.disk.run { () throws(DownloadError) in
                RepresentationMark.remove(from: path)
            }
            return pending
        }
        let name = try await library.disk.run { () throws(DownloadError) in
            try FreeName.first(of: pending.name.text) { (name) throws(DownloadError) in
                try self.claimName(ExactText(name))
            }.map { ExactText($0) }
        }
        guard let name else {
            throw DownloadError(.fileExists, while: .create, files.path(pending.name))
        }
        // If the name has become the download's own by then, the claim is not needed any more.
        defer { library.index.unclaim(name) }
        var renamed = pending
        renamed.name = name
        if name != pending.name {
            let new = renamed
            try await library.disk.run { () throws(DownloadError) in
                try note.write(new)
                library.discardPart(pending)
            }
        }
        library.index.handle(.named(run.key, run.start.run, name))
        return renamed
    }

    /// Claims a name that neither another key nor a file on the disk has.
    private func claimName(_ name: ExactText) throws(DownloadError) -> Bool {
        guard library.index.claim(name, for: run.key) else { return false }
        var isFree = false
        defer { if !isFree { library.index.unclaim(name) } }
        isFree = try library.files.isFree(name, for: run.key)
        return isFree
    }

    private func makeTask(_ pending: PendingDownload, _ url: URL) -> DownloadTask {
        let (session, replaced) = (library.session, run.start.replaced)
        var settings = settings(for: url)
        // A file of somebody else is never replaced, nor one that was changed after the request to
        // replace it.
        settings.ifExists = pending.replaces && replaced != nil ? .overwrite : .rename
        return session.downloadTask(
            DownloadRequest(url) { [settings] in $0 = settings },
            to: .file(library.files.path(pending.name).string),
            storageKey: pending.key,
            replacing: replaced?.stamp
        )
    }

    /// Returns the session's settings with the changes given for the key, without secrets given for
    /// an origin other than that of `url`, which may have changed since.
    private func settings(for url: URL) -> DownloadSettings {
        let usual = library.session.configuration.settings
        guard let request = library.index.request(for: run.key) else { return usual }
        let settings = request.settings(over: usual)
        return settings.moved(from: request.adjustmentURL, to: url, keepingThoseOf: usual)
    }

    /// Returns a file that another process fetched while this one waited for the lock.
    private func finishedElsewhere(
        _ note: PendingNote
    ) async throws(DownloadError) -> KnownFile? {
        let pending = run.start.pending
        guard !pending.replaces else { return nil }
        let (files, seen) = (library.files, library.index.entry(pending.key)?.file?.name)
        let names = [seen, pending.name].compactMap(\.self) + run.start.mayBeAt
        return try await library.disk.run { () throws(DownloadError) in
            guard let file = try files.known(pending.key, among: names) else { return nil }
            try note.remove()
            return file
        }
    }

    /// Returns the file's state after the server was asked; `nil` if it is no longer the same file.
    private func current(_ file: KnownFile) async throws(DownloadError) -> KnownFile? {
        let (files, key) = (library.files, file.record.key)
        let names = [library.index.entry(key)?.file?.name, file.name]
        return try await library.disk.run { () throws(DownloadError) in
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
        _ url: URL
    ) async throws(DownloadError) -> Bool {
        let settings = settings(for: url)
        var request = DownloadRequest(url) { $0 = settings }
        if let tag = file.record.entityTag {
            request.fields.append(HTTPField(name: "If-None-Match", value: tag.description))
        } else if let date = file.record.lastModified {
            request.fields.append(HTTPField(name: "If-Modified-Since", value: date))
        } else {
            return false
        }
        let stream = try await library.session.bytes(for: request)
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
        _ pending: PendingDownload
    ) async throws(DownloadError) -> KnownFile? {
        var record = FileRecord(
            key: pending.key,
            source: pending.url ?? task.originalRequest.url,
            byteCount: file.byteCount,
            modified: 0,
            finishedAt: Int64(Date().timeIntervalSince1970)
        )
        record.digest = file.verifiedDigest
        record.entityTag = task.response?.value("ETag").flatMap(EntityTag.init(lenient:))
        record.lastModified = task.response?.value("Last-Modified")?.sanitized
        record.mediaType = task.response?.mediaType
        let name = FilePath(file.path).lastComponent.map { ExactText($0.string) } ?? pending.name
        let (files, known, digests) = (library.files, record, library.configuration.keepsDigests)
        let isFromDaemon = library.identifier != nil
        return try await library.session.engine.digests.run { () throws(DownloadError) in
            if isFromDaemon { try files.requireFile(of: pending.key, at: file.path) }
            guard !file.wasAlreadyThere || files.isOwn(name, pending.key) else { return nil }
            return try files.note(known, on: name, digests: digests)
        }
    }

    private func remove(_ note: PendingNote) async throws(DownloadError) {
        try await library.disk.run { () throws(DownloadError) in try note.remove() }
    }
}

extension FileRecord {
    /// Whether a complete response is of this file: some servers ignore a condition and send the
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
