internal import Glibc
internal import PawlCore
package import SystemPackage

/// The lock on a partial file and on its checkpoint.
///
/// It ends with the process.
package enum FileLock {
    /// Takes the lock.
    ///
    /// Throws `.alreadyRunning`, with the owner's process id if it is known.
    static func take(_ file: OpenFile, _ path: FilePath) throws(DownloadError) {
        do throws(Errno) {
            try takeWithoutContest(file)
        } catch .wouldBlock {
            throw held(file, path)
        } catch {
            throw DownloadError(error, while: .lock, path)
        }
    }

    /// Takes the lock if possible.
    ///
    /// A file system without locks (some network ones) is used without them.
    static func takeWithoutContest(_ file: OpenFile) throws(Errno) {
        if try tryToTake(file) == .held { throw .wouldBlock }
    }

    package enum Attempt { case taken, held, notSupported }

    /// Tries to take the lock, and distinguishes a held lock from a file system without locks.
    package static func tryToTake(_ file: OpenFile) throws(Errno) -> Attempt {
        do throws(Errno) {
            try file.lock()
            return .taken
        } catch .wouldBlock {
            return .held
        } catch .noLocks, .noFunction, .notSupportedOnSocket, .invalidArgument {
            return .notSupported
        }
    }

    /// Tries to take the lock for a time.
    ///
    /// The system call has no time limit, so this repeats it. Blocks.
    package static func tryToTake(
        _ file: OpenFile,
        waitingAtMost limit: Duration
    ) throws(Errno) -> Attempt {
        let deadline = ContinuousClock.now + limit
        while true {
            let attempt = try tryToTake(file)
            guard attempt == .held, .now < deadline else { return attempt }
            usleep(5000)
        }
    }

    /// Opens and locks a file, and checks that it still has its name; `nil` if there is no such
    /// file.
    static func open(_ path: FilePath) throws(DownloadError) -> OpenFile? {
        for _ in 0..<8 {
            let file: OpenFile
            do throws(Errno) {
                file = try OpenFile(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK)
            } catch .noSuchFileOrDirectory {
                return nil
            } catch {
                throw DownloadError(error, while: .open, path)
            }
            try take(file, path)
            let isSame = try attempt(.open, path, path.status()?.identity == file.status().identity)
            if isSame { return file }
        }
        throw taken(path)
    }

    /// Returns the error for a name that somebody else took after the last check.
    static func taken(_ path: FilePath) -> DownloadError {
        if let status = try? path.status(), !status.isRegular { return noFile(path) }
        // A file that cannot even be opened is not ours, whoever owns it.
        if let file = try? OpenFile(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK) {
            return held(file, path)
        }
        return DownloadError(
            .alreadyRunning,
            "another process has just created \(path)",
            advice: "wait until it ends, then \(.runAgain), or choose \(.otherName)",
            context: DiskAction.create.text(path)
        )
    }

    private static func noFile(_ path: FilePath) -> DownloadError {
        DownloadError(
            .fileNotCreatable,
            "\(path) already exists, and is not a file",
            advice: "rename it, or choose \(.otherName)",
            context: DiskAction.create.text(path)
        )
    }

    private static func held(_ file: OpenFile, _ path: FilePath) -> DownloadError {
        // Without the file's identity, the error only lacks the owner's process ID.
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
            "\(who) is using \(name)",
            advice: "wait until it ends, then \(.runAgain), or choose \(.otherName)",
            context: DiskAction.lock.text(path)
        )
    }
}

/// The kernel's list of locks.
package enum LockTable {
    private static let longest = 1024 * 1024

    package static func owner(of identity: FileStatus.Identity) -> Int32? {
        let same = entries(in: text).filter { $0.inode == identity.inode }
        return entry(of: identity, among: same).flatMap { $0.process > 0 ? $0.process : nil }
    }

    /// Returns the entry of a file.
    ///
    /// `same` contains the locks on files with the same inode number, on any device.
    package static func entry(of identity: FileStatus.Identity, among same: [Entry]) -> Entry? {
        // Some file systems (btrfs, overlays) show the kernel another device than programs. In that
        // case, the open files of the process decide: the same inode number may occur on several
        // devices.
        same.first { $0.device == identity.device } ?? same.first { $0.hasOpen(identity) }
    }

    /// Returns all locks on files in the list's text.
    package static func entries(in text: String) -> [Entry] {
        text.split(separator: "\n").compactMap(Entry.init)
    }

    /// The inode numbers of all locked files, on any device.
    static var lockedInodes: Set<UInt64> { Set(entries(in: text).map(\.inode)) }

    package struct Entry: Hashable {
        package let process: Int32
        let device: UInt64
        package let inode: UInt64

        /// Parses `1: FLOCK  ADVISORY  WRITE 4711 08:01:131 0 EOF`; waiting locks have an arrow.
        init?(_ line: Substring) {
            let fields = line.split(separator: " ")
            guard fields.count >= 6, fields[1] == "FLOCK", let process = Int32(fields[4]) else {
                return nil
            }
            let numbers = fields[5].split(separator: ":")
            guard numbers.count == 3, let major = UInt64(numbers[0], radix: 16),
                let minor = UInt64(numbers[1], radix: 16), let inode = UInt64(numbers[2])
            else { return nil }
            self.process = process
            self.inode = inode
            device =
                (minor & 0xFF) | ((major & 0xFFF) << 8) | ((minor & ~0xFF) << 12)
                | ((major & ~0xFFF) << 32)
        }

        /// Whether the process has the file open.
        ///
        /// Returns `false` if that is not known, as for another user's process.
        func hasOpen(_ identity: FileStatus.Identity) -> Bool {
            guard process > 0 else { return false }
            let folder = FilePath("/proc/\(process)/fd")
            let files = (try? FolderListing.entries(of: folder)) ?? []
            return files.contains { (try? $0.targetStatus())?.identity == identity }
        }
    }

    /// The current text of the list.
    package static var text: String {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 * 1024)
        // Without the list the locks still work; only the owner is not known.
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
