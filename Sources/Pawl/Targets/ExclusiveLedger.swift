internal import Glibc
internal import PawlCore
internal import PawlStorage
internal import Synchronization
internal import SystemPackage

/// The record of an upload in a file of the user, which one run uses at a time.
///
/// A second file beside it has the lock, which ends with the process. Both are removed with the
/// upload.
final class ExclusiveLedger: PartLedger {
    private let path: String
    private let ledger: FilePartLedger
    /// The file with the lock; `nil` if this run does not have it.
    private let lock = Mutex<OpenFile?>(nil)

    init(_ path: String) {
        self.path = path
        ledger = FilePartLedger(path: path)
    }

    func recorded() throws(DownloadError) -> LedgerFinding {
        // A file of one part needs no record.
        guard access(path, F_OK) == 0 else { return .nothing }
        try takeLock()
        return try ledger.recorded()
    }

    func record(_ upload: RecordedUpload) throws(DownloadError) {
        try takeLock()
        try ledger.record(upload)
    }

    func record(_ parts: [RecordedPart], of upload: String) throws(DownloadError) {
        try ledger.record(parts, of: upload)
    }

    func forget() throws(DownloadError) {
        // Without the lock, the record is another run's.
        guard lock.withLock({ $0 != nil }) else { return }
        try ledger.forget()
        lock.withLock { lock in
            guard lock != nil else { return }
            // Others check that the file still has its name after they have locked it.
            unlink(lockPath)
            lock = nil
        }
    }

    /// Lets others use the record.
    func release() { lock.withLock { $0 = nil } }

    private var lockPath: String { "\(path).lock" }

    private func takeLock() throws(DownloadError) {
        let path = FilePath(lockPath)
        try lock.withLock { (lock) throws(DownloadError) in
            guard lock == nil else { return }
            try SystemPlaces.preparePrivate(path.removingLastComponent())
            lock = try Self.locked(path)
        }
    }

    private static func locked(_ path: FilePath) throws(DownloadError) -> OpenFile {
        do throws(Errno) {
            while true {
                let file = try OpenFile(path, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
                guard try FileLock.tryToTake(file) != .held else { break }
                if try path.status()?.identity == file.status().identity { return file }
            }
        } catch {
            throw DownloadError(error, while: .lock, path)
        }
        throw DownloadError(
            .alreadyRunning,
            "another run is downloading to this object",
            advice: "wait until it ends, then \(.runAgain), or choose \(.otherName)"
        )
    }
}
