internal import PawlCore
internal import PawlWire

/// Explains why the daemon does not respond at its socket, and what the user can do.
struct DaemonAbsence {
    private let paths: DaemonPaths

    init(_ paths: DaemonPaths) { self.paths = paths }

    /// Returns the error, with advice that fits the cause.
    ///
    /// The daemon may be starting or stopping, another process may have the queue, or the daemon
    /// may not be installed. Only a daemon that listens may have to be killed.
    ///
    /// `isSilent`: whether the daemon accepts connections without responding.
    func error(isSilent: Bool = false) -> DownloadError {
        if let owner = StoreLock.owner(paths) {
            return error(owner, isSilent: isSilent)
        }
        let problem = "the daemon is not running"
        do throws(DownloadError) {
            _ = try DaemonProgramFile.path()
        } catch {
            return DownloadError(
                .daemonUnavailable,
                "\(problem), and \(error.message)",
                advice: error.guidance
            )
        }
        return DownloadError(
            .daemonUnavailable,
            problem,
            advice: "\(.startDaemon)"
        )
    }

    private func error(_ owner: StoreLock.Owner, isSilent: Bool) -> DownloadError {
        let name = owner.name
        switch owner.phase {
        case .starting:
            return DownloadError(
                .daemonUnavailable,
                "the daemon (\(name)) is still starting",
                advice: "wait until it accepts requests, or \(.readDaemonLog) (\(paths.log))"
            )
        case .stopping:
            return DownloadError(
                .daemonUnavailable,
                "the daemon (\(name)) is stopping",
                advice: "wait until it has stopped, then \(.startDaemon)"
            )
        case .listening, nil: break
        }
        let end = owner.process.map { "kill \($0)" } ?? "end that process"
        let restart: Advice = "\(end), then \(.startDaemon)"
        return DownloadError(
            .daemonUnavailable,
            isSilent
                ? "the daemon does not respond (\(name))"
                : "no daemon listens at \(paths.socket), but \(name) uses the queue in "
                    + paths.storeFolder,
            advice: isSilent
                ? "\(.readDaemonLog) (\(paths.log)); if it hangs: \(restart)"
                : "set XDG_RUNTIME_DIR to the value of that process, or restart it: \(restart)"
        )
    }
}
