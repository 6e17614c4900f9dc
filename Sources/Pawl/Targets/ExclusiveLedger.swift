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
        do throws(DownloadError) {
            // Without a record, too: another run may be about to begin an upload.
            try takeLock()
        } catch let error where error.code != .alreadyRunning && !hasRecord {
            // Where nothing can be recorded, a file of one part becomes an object all the same.
            return .nothing
        }
        return try ledger.recorded()
    }

    func record(_ upload: RecordedUpload) throws(DownloadError) {
        do throws(DownloadError) {
            try takeLock()
            try ledger.record(upload)
        } catch let error where error.code != .alreadyRunning && !upload.name.hasUpload {
            // Without the record, the object is stored twice only if the process is killed just now.
        }
    }

    func record(_ parts: [RecordedPart], of upload: String) throws(DownloadError) {
        try ledger.record(parts, of: upload)
    }

    func forget() throws(DownloadError) {
        // Without the lock, the record is another run's.
        guard lock.withLock({ $0 != nil }) else { return }
        try ledger.forget()
    }

    func release() {
        lock.withLock { lock in
            guard lock != nil else { return }
            // Others check that the file still has its name after they have locked it.
            if !hasRecord { unlink(lockPath) }
            lock = nil
        }
    }

    private var lockPath: String { "\(path).lock" }

    private var hasRecord: Bool { access(path, F_OK) == 0 }

    private func takeLock() throws(DownloadError) {
        let path = FilePath(lockPath)
        try lock.withLock { (lock) throws(DownloadError) in
            guard lock == nil else { return }
            try SystemPlaces.preparePrivate(path.removingLastComponent())
            lock = try Self.locked(path)
            removeTornRecords()
        }
    }

    /// Removes the files of earlier runs that were killed while they wrote the record.
    private func removeTornRecords() {
        let path = FilePath(path)
        let prefix = Array("\(path.lastComponent?.string ?? "").".utf8)
        // A file that cannot be removed is in nobody's way.
        let names = (try? FolderListing.names(in: path.removingLastComponent())) ?? []
        for name in names where name.starts(with: prefix) {
            let process = name.dropFirst(prefix.count)
            guard !process.isEmpty, process.allSatisfy(\.isDigit) else { continue }
            unlink("\(path).\(String(decoding: process, as: UTF8.self))")
        }
    }

    private static func locked(_ path: FilePath) throws(DownloadError) -> OpenFile {
        var owner: Int32?
        do throws(Errno) {
            while true {
                let file = try OpenFile(path, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
                let identity = try file.status().identity
                guard try FileLock.tryToTake(file) != .held else {
                    owner = LockTable.owner(of: identity)
                    break
                }
                if try path.status()?.identity == identity { return file }
            }
        } catch {
            throw DownloadError(error, while: .lock, path)
        }
        let run = owner.map { $0 == getpid() ? "this process (\($0))" : "process \($0)" }
        throw DownloadError(
            .alreadyRunning,
            "\(run ?? "another run") is downloading to this object",
            advice: "wait until it ends, then \(.runAgain), or choose \(.otherName)"
        )
    }
}
