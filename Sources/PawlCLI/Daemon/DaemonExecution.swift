internal import Glibc
internal import Pawl
internal import PawlCore

/// Replaces this process by the daemon's program.
enum DaemonExecution {
    /// Returns only if that fails, with the reason.
    static func failure(_ options: [String]) throws(DownloadError) -> DownloadError {
        let program = try DaemonProgramFile.path()
        // The daemon and its hooks would keep the secrets.
        UserConfig.takeVariables()
        var arguments = ([DaemonProgramFile.name] + options).map { strdup($0) } + [nil]
        execv(program, &arguments)
        let reason = String(cString: strerror(errno))
        for argument in arguments { free(argument) }
        return DownloadError(
            .daemonUnavailable,
            "the daemon's program cannot be run: \(reason)",
            advice: "check \(program)"
        )
    }
}
