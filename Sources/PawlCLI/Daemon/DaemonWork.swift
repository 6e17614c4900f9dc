internal import Pawl
internal import PawlCore
internal import PawlWire

/// Runs work with the client of the daemon that the user has chosen.
///
/// Reports an error and returns its exit status.
func daemonWork(
    _ console: Console,
    _ work: @escaping @Sendable (DaemonClient) async throws(DownloadError) -> Int32
) throws(DownloadError) -> VerbWork {
    let client = try ChosenDaemon.current().client()
    return {
        do throws(DownloadError) {
            let status = try await work(client)
            if client.isDaemonOlder == true {
                console.message("pawl: note: \(client.olderNotice.text(for: .command))")
            }
            return status
        } catch {
            // Ctrl-C ends the request, not the downloads.
            let error = error.code == .interrupted && Task.isCancelled ? stopped : error
            console.report(error)
            return error.code.exitStatus
        }
    }
}

/// Runs work with the client of this machine's daemon, for a command that controls its process or its
/// files.
///
/// Throws `.usage` if the user has chosen another daemon.
func ownDaemonWork(
    _ command: String,
    _ console: Console,
    _ work: @escaping @Sendable (DaemonClient) async throws(DownloadError) -> Int32
) throws(DownloadError) -> VerbWork {
    try ChosenDaemon.checkIsOfThisMachine(command)
    return try daemonWork(console, work)
}

private let stopped = DownloadError(
    .interrupted,
    "stopped",
    advice: "the daemon and its downloads continue"
)
