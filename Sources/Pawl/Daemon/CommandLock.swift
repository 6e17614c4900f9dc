internal import Glibc
package import PawlCore
internal import PawlStorage
internal import SystemPackage

/// Lets the commands that start or stop the daemon of a folder take turns: a lock that ends with
/// the process.
package final class CommandLock: Sendable {
    private let file: OpenFile

    /// Waits for the turn of this process.
    ///
    /// `folder`: the folder of the queue, which must exist.
    ///
    /// Throws `.daemonUnavailable` if another command takes longer than `limit`.
    package init(folder: String, waitingAtMost limit: Duration) async throws(DownloadError) {
        file = try LockFile.open(Self.path(folder))
        let deadline = ContinuousClock.now + limit
        while (try? file.lock()) == nil {
            guard ContinuousClock.now < deadline, !Task.isCancelled else { throw Self.tooLate }
            // The loop checks for cancellation.
            try? await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Whether a command starts or stops the daemon now.
    package static func isTaken(folder: String) -> Bool {
        guard let file = try? OpenFile(path(folder), O_RDONLY) else { return false }
        return (try? file.lock(.shared)) == nil
    }

    private static func path(_ folder: String) -> FilePath {
        FilePath("\(folder)/daemon-commands.lock")
    }

    private static var tooLate: DownloadError {
        guard !Task.isCancelled else { return DownloadError(.interrupted, "stopped") }
        return DownloadError(
            .daemonUnavailable,
            "another command is still starting or stopping the daemon",
            advice: "wait until it has ended, then run the command again"
        )
    }
}
