internal import Glibc
package import PawlCore
internal import PawlStorage
package import PawlWire
internal import Synchronization
internal import SystemPackage

/// Allows one daemon per folder: a lock that ends with the process, and what is known of the
/// process that holds it.
package final class StoreLock: Sendable {
    /// What the daemon that holds a lock is doing.
    package enum Phase: String, Sendable, CaseIterable {
        case starting, listening, stopping

        fileprivate var number: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    /// The process that holds a lock.
    package struct Owner: Hashable, Sendable {
        /// The identifier of the process; `nil` if it is not known.
        package let process: Int32?
        /// What the process is doing; `nil` for a daemon of an earlier version.
        package let phase: Phase?

        package var name: String { process.map { "process \($0)" } ?? "another process" }
    }

    /// The locked file.
    private let file: OpenFile
    private let lockPath: OpenedFilePath
    private let phase = Mutex(Phase.starting)

    /// Takes the lock for a daemon that is starting.
    ///
    /// Throws `.alreadyRunning`, with the process ID of the other process.
    package init(folder: String) throws(DownloadError) {
        file = try LockFile.open(Self.path(folder))
        lockPath = OpenedFilePath(Self.path(folder).string)
        // A check for a running daemon holds it for a moment.
        guard (try? FileLock.tryToTake(file, waitingAtMost: .milliseconds(50))) == .taken else {
            let owner = Self.owner(file)
            throw DownloadError(
                .alreadyRunning,
                "another daemon\(owner.process.map { " (process \($0))" } ?? "") uses \(folder)",
                advice: "use that daemon, or stop it: pawl daemon stop"
            )
        }
        phase.withLock { write($0) }
    }

    /// Whether the folder still has the locked file: another daemon may have created a new one
    /// after the folder was removed.
    package var isInPlace: Bool { lockPath.change == nil }

    /// Records what the daemon is doing now; a daemon that is stopping remains in that phase.
    package func enter(_ new: Phase) {
        phase.withLock { phase in
            guard new.number > phase.number else { return }
            phase = new
            write(new)
        }
    }

    /// Writes the line in one piece, so that no reader finds an empty file.
    private func write(_ phase: Phase) {
        let bytes = Array("\(getpid()) \(phase.rawValue)\n".utf8)
        // The lock holds without the line; only its owner is then unknown.
        try? file.write(bytes)
        try? file.truncate(to: Int64(bytes.count))
    }

    /// Returns the process that holds the lock of a folder; `nil` if none does.
    package static func owner(in folder: String) -> Owner? {
        guard let file = try? OpenFile(path(folder), O_RDONLY) else { return nil }
        return (try? file.lock(.shared)) != nil ? nil : owner(file)
    }

    /// Returns the process that uses a queue; `nil` if none does.
    ///
    /// If the folder of the queue was removed, that is the process that uses the socket.
    package static func owner(_ paths: DaemonPaths) -> Owner? {
        guard access(path(paths.storeFolder).string, F_OK) != 0, errno == ENOENT else {
            return owner(in: paths.storeFolder)
        }
        return owner(in: paths.socketFolder)
    }

    /// Reads `PID PHASE`; daemons of earlier versions have written only the first word.
    private static func owner(_ file: OpenFile) -> Owner {
        let bytes = (try? file.contents(limit: 32)) ?? []
        let line = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        let words = line.split(separator: " ")
        return Owner(
            process: words.first.flatMap { Int32($0) },
            phase: words.dropFirst().first.flatMap { Phase(rawValue: String($0)) }
        )
    }

    private static func path(_ folder: String) -> FilePath { FilePath("\(folder)/daemon.lock") }
}
