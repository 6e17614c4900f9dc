internal import struct FoundationEssentials.URL
internal import Pawl
internal import PawlCore
internal import PawlEngine
internal import PawlStorage
internal import SystemPackage

/// Downloads the file of a run's key with a new task: in this process, or in the daemon.
struct RunDownloader: Sendable {
    /// The number of attempts if another file takes the name at the last moment.
    private static let mostAttempts = 3

    private let run: LibraryRun
    private let library: LibraryContext
    private let lock: KeyLock
    private let recorder: TaskRecorder

    init(
        _ run: LibraryRun,
        _ library: LibraryContext,
        _ lock: KeyLock,
        _ recorder: TaskRecorder
    ) {
        (self.run, self.library, self.lock, self.recorder) = (run, library, lock, recorder)
    }

    /// Downloads the file, and records it.
    func outcome(
        _ pending: PendingDownload,
        _ url: URL
    ) async throws(DownloadError) -> LibraryIndex.RunOutcome {
        var pending = pending
        for _ in 0..<Self.mostAttempts {
            pending = try await prepared(pending)
            if let loss = library.session.backgroundLoss { return .unreachable(loss) }
            let task = makeTask(pending, url)
            pending = try await handOver(pending, task)
            if let end = try await recorder.outcome(of: task, pending) { return end }
            pending.replaces = false
        }
        throw DownloadError(.fileExists, while: .create, library.files.path(pending.name))
    }

    /// Prepares the pending download.
    ///
    /// Files that are in the way are found before the download begins, so that its note contains
    /// the final name.
    private func prepared(
        _ pending: PendingDownload
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
                try self.reserveName(ExactText(name))
            }.map { ExactText($0) }
        }
        guard let name else {
            throw DownloadError(.fileExists, while: .create, files.path(pending.name))
        }
        // If the name has become the download's own by then, the reservation is not needed any
        // more.
        defer { library.index.unreserve(name) }
        var renamed = pending
        renamed.name = name
        if name != pending.name {
            try await lock.write(renamed)
            try await library.disk.run { () throws(DownloadError) in library.discardPart(pending) }
        }
        library.index.handle(.named(run.key, run.start.run, name))
        return renamed
    }

    /// Claims a name that neither another key nor a file on the disk has.
    private func reserveName(_ name: ExactText) throws(DownloadError) -> Bool {
        guard library.index.reserve(name, for: run.key) else { return false }
        var isFree = false
        defer { if !isFree { library.index.unreserve(name) } }
        isFree = try library.files.isFree(name, for: run.key)
        return isFree
    }

    private func makeTask(_ pending: PendingDownload, _ url: URL) -> DownloadTask {
        let (session, replaced) = (library.session, run.start.replaced)
        var settings = library.settings(of: run.key, for: url)
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

    /// Writes into the note that the daemon will have the download, if it will.
    private func handOver(
        _ pending: PendingDownload,
        _ task: DownloadTask
    ) async throws(DownloadError) -> PendingDownload {
        guard let identifier = library.identifier else { return pending }
        let number = task.taskIdentifier
        let background = PendingDownload.Background(session: identifier, task: number)
        var pending = pending
        pending.background = background
        task.taskDescription = pending.key.text
        do throws(DownloadError) {
            try await lock.write(pending)
        } catch {
            task.end(keeping: true)
            throw error
        }
        library.index.handle(.handedOver(run.key, run.start.run, background))
        return pending
    }
}
