internal import Pawl
internal import PawlCore
internal import PawlEngine
internal import PawlStorage

/// The lock of a library's key, with the note on the download of its file.
struct KeyLock: Sendable {
    /// How long another process may take to release a key whose session it has lost.
    private static let patience: Duration = .seconds(10)

    private let note: PendingNote
    private let disk: BlockingPool

    private init(_ note: PendingNote, _ disk: BlockingPool) {
        (self.note, self.disk) = (note, disk)
    }

    /// Locks the key of a run, and writes its note.
    ///
    /// Throws `.alreadyRunning` if somebody else fetches the key's file.
    static func take(
        for run: LibraryRun,
        in library: LibraryContext
    ) async throws(DownloadError) -> KeyLock {
        let (pending, time) = (run.start.pending, library.session.engine.time)
        let deadline = time.now() + patience
        while true {
            do throws(DownloadError) {
                let note = try await library.disk.run { () throws(DownloadError) in
                    try PendingNote.acquire(
                        pending,
                        in: library.folder,
                        session: library.identifier
                    )
                }
                return KeyLock(note, library.disk)
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

    /// Locks a key that has a note, and returns what the note contains.
    ///
    /// Returns `nil` if there is no note, or if somebody else has locked the key.
    static func take(
        _ key: StorageKey,
        in library: LibraryContext
    ) async throws(DownloadError) -> (lock: KeyLock, pending: PendingDownload)? {
        let taken = try await library.disk.run { () throws(DownloadError) in
            try PendingNote.take(key, in: library.folder)
        }
        return taken.map { (KeyLock($0.note, library.disk), $0.pending) }
    }

    /// Writes the note.
    func write(_ pending: PendingDownload) async throws(DownloadError) {
        let note = note
        try await disk.run { () throws(DownloadError) in try note.write(pending) }
    }

    /// Removes the note and releases the key, because the file is finished.
    func removeNote() async throws(DownloadError) {
        let note = note
        try await disk.run { () throws(DownloadError) in try note.remove() }
    }

    /// Releases the key; the note stays.
    func release() { note.release() }
}
