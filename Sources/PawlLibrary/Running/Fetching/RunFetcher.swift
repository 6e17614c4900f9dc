internal import Logging
internal import Pawl
internal import PawlCore
internal import PawlEngine
internal import PawlStorage

/// One run: locks the key, and obtains its file: from the folder, from the daemon, or from a
/// server.
struct RunFetcher: Sendable {
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
            if let file = try await DaemonFollower.recordForOtherSession(pending, library) {
                return .finished(file, wasFetched: false)
            }
            let lock = try await KeyLock.take(for: run, in: library)
            run.keyLocked()
            let end = await fetch(pending, lock)
            if case .failed(let error, _) = end { await write(error, lock) }
            lock.release()
            return end
        } catch {
            return .failed(error, reached: 0)
        }
    }

    /// Writes a failure into the download's note, before anybody is told and before the key is
    /// free.
    private func write(_ error: DownloadError, _ lock: KeyLock) async {
        var pending = currentPending
        pending.failure = PendingDownload.Failure(error)
        do throws(DownloadError) {
            try await lock.write(pending)
        } catch {
            library.session.engine.logger.warning("cannot record a failure: \(error)")
        }
    }

    private func fetch(
        _ pending: PendingDownload,
        _ lock: KeyLock
    ) async -> LibraryIndex.RunOutcome {
        do throws(DownloadError) {
            if let file = try await existingFile() {
                try await lock.removeNote()
                return .finished(file, wasFetched: false)
            }
            let recorder = TaskRecorder(run, library, lock)
            if library.isInDaemon(pending),
                let end = try await DaemonFollower(run, library, lock, recorder).outcome(pending)
            {
                return end
            }
            guard let url = pending.url else {
                throw .usage("the download has no URL", advice: "give its URL")
            }
            if let file = run.start.revalidates,
                let current = try await FileRevalidator(library).current(file, url)
            {
                try await lock.removeNote()
                return .finished(current, wasFetched: false)
            }
            return try await RunDownloader(run, library, lock, recorder).outcome(pending, url)
        } catch {
            if let loss = library.session.backgroundLoss { return .unreachable(loss) }
            return run.isStopped ? .stopped : .failed(error, reached: 0)
        }
    }

    /// Returns a file that another process fetched while this one waited for the lock.
    private func existingFile() async throws(DownloadError) -> KnownFile? {
        let pending = run.start.pending
        guard !pending.replaces else { return nil }
        let (files, seen) = (library.files, library.index.entry(pending.key)?.file?.name)
        let names = [seen, pending.name].compactMap(\.self) + run.start.mayBeAt
        return try await library.disk.run { () throws(DownloadError) in
            try files.known(pending.key, among: names)
        }
    }
}
