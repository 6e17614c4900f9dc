internal import Glibc
package import PawlCore
internal import PawlStorage
internal import SystemPackage

/// Allows one daemon per folder: a lock that ends with the process, and the identifier of the
/// process that holds it.
package final class StoreLock: Sendable {
    /// The process that holds a lock.
    package enum Owner: Hashable, Sendable {
        case process(Int32)
        case unknown

        package var name: String {
            if case .process(let id) = self { "process \(id)" } else { "another process" }
        }
    }

    /// The locked file.
    private let file: OpenFile

    /// Throws `.alreadyRunning`, with the process ID of the other process.
    package init(folder: String) throws(DownloadError) {
        let path = Self.path(folder)
        do throws(Errno) {
            file = try OpenFile(path, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
        } catch {
            throw DownloadError(
                .directoryNotUsable,
                "the lock of the daemon cannot be opened: \(error)",
                advice: "check the permissions of the folder",
                context: "opening \(path)"
            )
        }
        guard Self.take(file) else {
            let owner = Self.owner(file)
            throw DownloadError(
                .alreadyRunning,
                "another daemon\(owner == .unknown ? "" : " (\(owner.name))") uses \(folder)",
                advice: "use that daemon, or stop it: pawl daemon stop"
            )
        }
        // The lock holds without the number; only its owner is then unknown.
        try? file.truncate(to: 0)
        try? file.write(Array("\(getpid())\n".utf8))
    }

    /// Takes the lock; tries several times, as a check for a running daemon holds it for a moment.
    private static func take(_ file: OpenFile) -> Bool {
        for _ in 0..<10 {
            if (try? file.lock()) != nil { return true }
            usleep(5000)
        }
        return false
    }

    /// Returns the process that holds the lock of a folder; `nil` if none does.
    package static func owner(in folder: String) -> Owner? {
        guard let file = try? OpenFile(path(folder), O_RDONLY) else { return nil }
        return (try? file.lock(.shared)) != nil ? nil : owner(file)
    }

    private static func owner(_ file: OpenFile) -> Owner {
        let bytes = (try? file.contents(limit: 32)) ?? []
        let text = String(decoding: bytes, as: UTF8.self)
        return Int32(text.prefix { $0.isNumber }).map { .process($0) } ?? .unknown
    }

    private static func path(_ folder: String) -> FilePath { FilePath("\(folder)/daemon.lock") }
}
