internal import Glibc
internal import PawlCore
internal import SystemPackage

/// The lock on a partial file and on its checkpoint: it dies with the process.
enum FileLock {
    /// Throws `.alreadyRunning`, with the owner's process id where it can be told.
    static func take(_ file: OpenFile, _ path: FilePath) throws(DownloadError) {
        do throws(Errno) {
            try takeWithoutContest(file)
        } catch .wouldBlock {
            throw held(file, path)
        } catch {
            throw DownloadError(error, while: .lock, path)
        }
    }

    /// A file system without locks (some network ones) is used without them.
    static func takeWithoutContest(_ file: OpenFile) throws(Errno) {
        if try attempt(file) == .held { throw .wouldBlock }
    }

    enum Attempt { case taken, held, notSupported }

    /// Takes the lock where nobody has it: for those to whom a lock that cannot be is not a free one.
    static func attempt(_ file: OpenFile) throws(Errno) -> Attempt {
        do throws(Errno) {
            try retrying { flock(file.descriptor, LOCK_EX | LOCK_NB) }
            return .taken
        } catch .wouldBlock {
            return .held
        } catch .noLocks, .noFunction, .notSupportedOnSocket, .invalidArgument {
            return .notSupported
        }
    }

    static func release(_ file: OpenFile) {
        // Closing the file releases it in any case.
        _ = flock(file.descriptor, LOCK_UN)
    }

    /// The name went to somebody else between our look at it and now.
    static func taken(_ path: FilePath) -> DownloadError {
        if let status = try? path.status(), !status.isRegular { return noFile(path) }
        // A file that cannot even be opened is not ours, whoever has it.
        if let file = try? OpenFile(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK) {
            return held(file, path)
        }
        return DownloadError(
            .alreadyRunning,
            "another process has just made \(path)",
            advice: "wait until it ends, or give another name with --output",
            context: DiskAction.create.text(path)
        )
    }

    private static func noFile(_ path: FilePath) -> DownloadError {
        DownloadError(
            .fileNotCreatable,
            "\(path) is there already, and is no file but a folder or the like",
            advice: "rename it, or give another name with --output",
            context: DiskAction.create.text(path)
        )
    }

    private static func held(_ file: OpenFile, _ path: FilePath) -> DownloadError {
        // Without the file's identity the owner has no name, which is all that is lost.
        let owner = (try? file.status()).flatMap { LockTable.owner(of: $0.identity) }
        let who =
            switch owner {
            case getpid(): "this process (\(getpid()))"
            case .some(let id): "process \(id)"
            case .none: "another process"
            }
        let name = path.lastComponent?.string ?? path.string
        return DownloadError(
            .alreadyRunning,
            "\(who) has \(name)",
            advice: "wait until it ends, or give another name with --output",
            context: DiskAction.lock.text(path)
        )
    }
}

/// The kernel's list of locks.
enum LockTable {
    private static let longest = 1024 * 1024

    static func owner(of identity: FileStatus.Identity) -> Int32? {
        let same = entries(in: text).filter { $0.inode == identity.inode }
        return entry(of: identity, among: same).flatMap { $0.process > 0 ? $0.process : nil }
    }

    /// `same`: the locks on files of that number, on whatever device.
    static func entry(of identity: FileStatus.Identity, among same: [Entry]) -> Entry? {
        // Some file systems (btrfs, overlays) show the kernel another device than programs. Then what the
        // process has open tells: a number alone may be that of a file anywhere.
        same.first { $0.device == identity.device } ?? same.first { $0.hasOpen(identity) }
    }

    /// All locks on files, of the list's text.
    static func entries(in text: String) -> [Entry] {
        text.split(separator: "\n").compactMap(Entry.init)
    }

    /// The numbers of all files that are locked, on whatever device.
    static var lockedInodes: Set<UInt64> { Set(entries(in: text).map(\.inode)) }

    struct Entry: Hashable {
        let process: Int32
        let device: UInt64
        let inode: UInt64

        /// `1: FLOCK  ADVISORY  WRITE 4711 08:01:131 0 EOF`; waiting ones have an arrow.
        init?(_ line: Substring) {
            let fields = line.split(separator: " ")
            guard fields.count >= 6, fields[1] == "FLOCK", let process = Int32(fields[4]) else {
                return nil
            }
            let place = fields[5].split(separator: ":")
            guard place.count == 3, let major = UInt64(place[0], radix: 16),
                let minor = UInt64(place[1], radix: 16), let inode = UInt64(place[2])
            else { return nil }
            self.process = process
            self.inode = inode
            device =
                (minor & 0xFF) | ((major & 0xFFF) << 8) | ((minor & ~0xFF) << 12)
                | ((major & ~0xFFF) << 32)
        }

        /// False where it cannot be told, as of another user's process.
        func hasOpen(_ identity: FileStatus.Identity) -> Bool {
            guard process > 0 else { return false }
            let folder = FilePath("/proc/\(process)/fd")
            let files = (try? FolderListing.entries(of: folder)) ?? []
            return files.contains { (try? $0.targetStatus())?.identity == identity }
        }
    }

    /// As it is at this moment.
    static var text: String {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 * 1024)
        // A system without the list has locks all the same; only the owner stays unknown.
        guard let file = try? OpenFile("/proc/locks", O_RDONLY) else { return "" }
        while bytes.count < longest {
            let offset = Int64(bytes.count)
            guard
                let count = try? piece.withUnsafeMutableBytes({
                    try file.read(into: $0, at: offset)
                }),
                count > 0
            else { break }
            bytes += piece[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
