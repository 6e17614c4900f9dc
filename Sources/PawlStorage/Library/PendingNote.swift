internal import Glibc
package import PawlCore
internal import Synchronization
package import SystemPackage

/// The note on a library's unfinished download, and the key's lock: whoever has it fetches the key.
///
/// It is a hidden file, named after the key. It appears with all it says and with its lock, which dies
/// with the process. Nothing is synced: what a power cut takes, its partial file tells by its key.
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

    /// Takes the key and notes what its download is.
    ///
    /// Throws `.alreadyRunning` where somebody else has it, with the number of the process.
    package static func claim(
        _ order: PendingDownload,
        in folder: FilePath
    ) throws(DownloadError) -> PendingNote {
        let path = path(of: order.key, in: folder)
        for _ in 0..<mostAttempts {
            let file = try attempt(.create, path) { () throws(Errno) in try made(order, path) }
            if let file { return PendingNote(order.key, path, file) }
            switch try locked(path) {
            case .taken(let file):
                let note = PendingNote(order.key, path, file)
                try note.write(order)
                return note
            case .held(let file):
                // Whoever has it, it is held.
                let owner = (try? file.status()).flatMap { LockTable.owner(of: $0.identity) }
                throw isHeld(order.key, by: owner)
            case .gone: continue
            }
        }
        throw isHeld(order.key, by: nil)
    }

    /// Takes a key whose note is there, as it is, with what it says.
    ///
    /// Nil where there is none, or somebody has it.
    package static func take(
        _ key: StorageKey,
        in folder: FilePath
    ) throws(DownloadError) -> (note: PendingNote, order: PendingDownload)? {
        let path = path(of: key, in: folder)
        for _ in 0..<mostAttempts {
            switch try locked(path) {
            case .taken(let file):
                guard let order = read(path) else { return nil }
                return (PendingNote(key, path, file), order)
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

    /// Notes what a download is that nobody runs; one that somebody runs is left alone.
    ///
    /// Without `creates`, one that has no note any more is not given one: it was finished, or thrown
    /// away.
    package static func save(
        _ order: PendingDownload,
        in folder: FilePath,
        creates: Bool = true
    ) throws(DownloadError) {
        guard creates else {
            guard let note = try take(order.key, in: folder)?.note else { return }
            defer { note.release() }
            return try note.write(order)
        }
        do throws(DownloadError) {
            try claim(order, in: folder).release()
        } catch  where error.code == .alreadyRunning {
            return
        }
    }

    /// What a note says, nil where it is none.
    package static func read(_ path: FilePath) -> PendingDownload? {
        // Whatever keeps it from being read, it is no note then.
        guard let file = try? OpenFile(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK),
            let bytes = try? file.contents(limit: PendingDownload.longestText),
            let text = String(validating: bytes, as: UTF8.self),
            let order = PendingDownload(text: text),
            LibraryName.pendingName(form: order.key.fileName) == path.lastComponent?.string
        else { return nil }
        return order
    }

    /// Notes something new, in one step.
    package func write(_ order: PendingDownload) throws(DownloadError) {
        try held.withLock { (held) throws(DownloadError) in
            guard held != nil else { return }
            held = try attempt(.write, path) { () throws(Errno) in
                let draft = try Self.draft(order, path)
                try draft.takeName(path)
                return draft.file
            }
        }
    }

    /// Removes the note, and gives the key back: the file is finished, or nobody wants it.
    package func remove() throws(DownloadError) {
        try held.withLock { (held) throws(DownloadError) in
            guard let file = held else { return }
            defer {
                FileLock.release(file)
                held = nil
            }
            try attempt(.remove, path) { () throws(Errno) in
                guard try path.status()?.identity == file.status().identity else { return }
                try path.removeFile()
            }
        }
    }

    /// Gives the key back; the note stays.
    package func release() {
        held.withLock { held in
            if let file = held { FileLock.release(file) }
            held = nil
        }
    }

    /// Nil where there is a note already.
    private static func made(_ order: PendingDownload, _ path: FilePath) throws(Errno) -> OpenFile?
    {
        guard try path.status() == nil else { return nil }
        let draft = try draft(order, path)
        do throws(Errno) {
            try draft.giveName(path)
            return draft.file
        } catch .fileExists {
            return nil
        }
    }

    /// With its lock, which goes where its name goes.
    private static func draft(_ order: PendingDownload, _ path: FilePath) throws(Errno) -> FileDraft
    {
        let draft = try FileDraft(in: path.folder, mode: 0o600)
        var failure: Errno?
        Array(order.text.utf8).withUnsafeBytes { bytes in
            do throws(Errno) { try draft.file.write(bytes, at: 0) } catch { failure = error }
        }
        if let failure { throw failure }
        _ = try FileLock.attempt(draft.file)
        return draft
    }

    private enum Lock {
        case taken(OpenFile), held(OpenFile)
        /// Somebody removed or replaced it just now.
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
            guard try FileLock.attempt(file) != .held else { return .held(file) }
            let isSame = try path.status()?.identity == file.status().identity
            return isSame ? .taken(file) : .gone
        }
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
            "\(who) fetches '\(key.text.sanitized(atMost: 100))'",
            advice: "ask again when it has ended: then its file is there"
        )
    }
}

/// Who fetches the keys of a folder at this moment.
package struct PendingOwners: Sendable {
    private let entries: [UInt64: [LockTable.Entry]]

    /// Nobody.
    package init() { entries = [:] }

    /// `table`: the kernel's list of locks, as its text (`proc_locks(5)`).
    package init(_ table: String) {
        entries = Dictionary(grouping: LockTable.entries(in: table), by: \.inode)
    }

    /// As the system tells at this moment.
    package static var current: PendingOwners { PendingOwners(LockTable.text) }

    /// Nil where nobody has it; a process whose number the system does not tell is nil within.
    package func owner(of note: FilePath) -> Int32?? {
        // A note that is not there is nobody's.
        guard let identity = (try? note.status())?.identity else { return nil }
        return LockTable.entry(of: identity, among: entries[identity.inode] ?? []).map { entry in
            entry.process > 0 ? entry.process : nil
        }
    }
}
