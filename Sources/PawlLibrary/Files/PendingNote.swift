internal import Glibc
package import PawlCore
internal import PawlStorage
internal import Synchronization
package import SystemPackage

/// The note on a library's unfinished download, and the key's lock: the owner of the lock fetches
/// the key's file.
///
/// It is a hidden file named after the key. It appears complete and locked, and the lock ends with
/// the process. Nothing is synced: if a power cut destroys the note, the partial file still
/// contains the key.
package final class PendingNote: Sendable {
    private static let mostAttempts = 8

    package let key: StorageKey
    private let path: FilePath
    private let held: Mutex<OpenFile?>

    private init(_ key: StorageKey, _ path: FilePath, _ file: OpenFile) {
        self.key = key
        self.path = path
        held = Mutex(file)
    }

    package static func path(of key: StorageKey, in folder: FilePath) -> FilePath {
        folder.appending(LibraryName.pendingName(form: key.fileName))
    }

    /// Locks the key and writes the note on its download.
    ///
    /// Throws `.alreadyRunning`, with the owner's process ID, if the lock is held already, and if
    /// the daemon has the download for another background session than `session`.
    package static func acquire(
        _ pending: PendingDownload,
        in folder: FilePath,
        session: String? = nil
    ) throws(DownloadError) -> PendingNote {
        let path = path(of: pending.key, in: folder)
        for _ in 0..<mostAttempts {
            let file = try attempt(.create, path) { () throws(Errno) in try made(pending, path) }
            if let file { return PendingNote(pending.key, path, file) }
            switch try locked(path) {
            case .taken(let file):
                let note = PendingNote(pending.key, path, file)
                try note.takeOver(pending, session)
                return note
            case .held(let file):
                // The lock is taken, even if its owner cannot be determined.
                let owner = (try? file.status()).flatMap { LockTable.owner(of: $0.identity) }
                throw isHeld(pending.key, by: owner)
            case .gone: continue
            }
        }
        throw isHeld(pending.key, by: nil)
    }

    /// Writes the note, unless the daemon has the download for somebody else.
    private func takeOver(
        _ pending: PendingDownload,
        _ session: String?
    ) throws(DownloadError) {
        if let old = Self.read(path), old.isInDaemon,
            pending.background == nil || !old.isInDaemon(for: session)
        {
            release()
            throw Self.isInDaemon(key, old.background?.session ?? "")
        }
        try write(pending)
    }

    /// Locks a key that has a note, which stays as it is, and returns the note's content.
    ///
    /// Returns `nil` if there is no note, or if the lock is held already.
    package static func take(
        _ key: StorageKey,
        in folder: FilePath
    ) throws(DownloadError) -> (note: PendingNote, pending: PendingDownload)? {
        let path = path(of: key, in: folder)
        for _ in 0..<mostAttempts {
            switch try locked(path) {
            case .taken(let file):
                guard let pending = read(path) else { return nil }
                return (PendingNote(key, path, file), pending)
            case .held: return nil
            case .gone
            where try attempt(.inspect, path, { () throws(Errno) in try path.status() })
                == nil:
                return nil
            case .gone: continue
            }
        }
        return nil
    }

    /// Writes the note on a download that is not running.
    ///
    /// Does nothing if the download is running, in this process or another one.
    ///
    /// If `creates` is `false`, a missing note is not created, because the download was finished or
    /// cancelled.
    package static func save(
        _ pending: PendingDownload,
        in folder: FilePath,
        session: String? = nil,
        creates: Bool = true
    ) throws(DownloadError) {
        guard creates else {
            guard let note = try take(pending.key, in: folder)?.note else { return }
            defer { note.release() }
            return try note.write(pending)
        }
        do throws(DownloadError) {
            try acquire(pending, in: folder, session: session).release()
        } catch  where error.code == .alreadyRunning {
            return
        }
    }

    /// Returns the content of a note; `nil` if it is not valid.
    package static func read(_ path: FilePath) -> PendingDownload? {
        // Whatever the reason, a note that cannot be read counts as missing.
        guard let file = try? OpenFile(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK),
            let bytes = try? file.contents(limit: PendingDownload.longestText),
            let text = String(validating: bytes, as: UTF8.self),
            let pending = PendingDownload(text: text),
            LibraryName.pendingName(form: pending.key.fileName) == path.lastComponent?.string
        else { return nil }
        return pending
    }

    /// Writes new content in one step.
    ///
    /// Does nothing if the note is no longer at its path: somebody has removed it or replaced the
    /// folder, and a removed note is not created again.
    package func write(_ pending: PendingDownload) throws(DownloadError) {
        try held.withLock { (held) throws(DownloadError) in
            guard let file = held else { return }
            held = try attempt(.write, path) { () throws(Errno) in
                guard try path.status()?.identity == file.status().identity else { return file }
                let draft = try Self.draft(pending, path)
                try draft.takeName(path)
                return draft.file
            }
        }
    }

    /// Removes the note and releases the key, because the file is finished or nobody wants it.
    package func remove() throws(DownloadError) {
        try held.withLock { (held) throws(DownloadError) in
            guard let file = held else { return }
            defer {
                file.unlock()
                held = nil
            }
            try attempt(.remove, path) { () throws(Errno) in
                guard try path.status()?.identity == file.status().identity else { return }
                try path.removeFile()
            }
        }
    }

    /// Releases the key; the note stays.
    package func release() {
        held.withLock { held in
            if let file = held { file.unlock() }
            held = nil
        }
    }

    /// Creates the note; `nil` if there is one already.
    private static func made(_ pending: PendingDownload, _ path: FilePath) throws(Errno)
        -> OpenFile?
    {
        guard try path.status() == nil else { return nil }
        let draft = try draft(pending, path)
        do throws(Errno) {
            try draft.giveName(path)
            return draft.file
        } catch .fileExists {
            return nil
        }
    }

    /// Creates the note under a temporary name.
    ///
    /// Its lock stays with it when it is renamed.
    private static func draft(_ pending: PendingDownload, _ path: FilePath) throws(Errno)
        -> FileDraft
    {
        let draft = try FileDraft(in: path.folder, mode: 0o600)
        try draft.file.write(Array(pending.text.utf8))
        _ = try FileLock.tryToTake(draft.file)
        return draft
    }

    private enum Lock {
        case taken(OpenFile), held(OpenFile)
        /// The note has just been removed or replaced.
        case gone
    }

    private static func locked(_ path: FilePath) throws(DownloadError) -> Lock {
        let file: OpenFile
        do throws(Errno) {
            file = try OpenFile(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK)
        } catch .noSuchFileOrDirectory {
            return .gone
        } catch {
            throw DownloadError(error, while: .lock, path)
        }
        return try attempt(.lock, path) { () throws(Errno) in
            guard try FileLock.tryToTake(file) != .held else { return .held(file) }
            let isSame = try path.status()?.identity == file.status().identity
            return isSame ? .taken(file) : .gone
        }
    }

    private static func isInDaemon(_ key: StorageKey, _ session: String) -> DownloadError {
        DownloadError(
            .alreadyRunning,
            "the daemon is fetching '\(key.text.sanitized(atMost: 100))' for the background "
                + "session '\(session.sanitized(atMost: 100))'",
            advice: "open the library with this session, or request the key again when the daemon "
                + "has finished: then the file exists"
        )
    }

    private static func isHeld(_ key: StorageKey, by owner: Int32?) -> DownloadError {
        let who =
            switch owner {
            case getpid(): "another library of this process (\(getpid()))"
            case .some(let id): "process \(id)"
            case .none: "another process"
            }
        return DownloadError(
            .alreadyRunning,
            "\(who) is fetching '\(key.text.sanitized(atMost: 100))'",
            advice: "request it again when that process has finished: then the file exists"
        )
    }
}

/// The processes that fetch the keys of a folder now.
package struct PendingOwners: Sendable {
    private let entries: [UInt64: [LockTable.Entry]]

    /// Creates an empty list.
    package init() { entries = [:] }

    /// Creates the list from the text of the kernel's list of locks (`proc_locks(5)`).
    package init(_ table: String) {
        entries = Dictionary(grouping: LockTable.entries(in: table), by: \.inode)
    }

    /// The list according to the system now.
    package static var current: PendingOwners { PendingOwners(LockTable.text) }

    /// Returns the owner; `nil` if there is none.
    ///
    /// The inner value is `nil` if the system does not report the process.
    package func owner(of note: FilePath) -> Int32?? {
        // A note that does not exist has no owner.
        guard let identity = (try? note.status())?.identity else { return nil }
        return LockTable.entry(of: identity, among: entries[identity.inode] ?? []).map { entry in
            entry.process > 0 ? entry.process : nil
        }
    }
}
