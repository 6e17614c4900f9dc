internal import Pawl
internal import PawlCore
internal import PawlWire

/// Runs work with the daemon's client.
///
/// Reports an error and returns its exit status.
func daemonWork(
    _ console: Console,
    _ work: @escaping @Sendable (DaemonClient) async throws(DownloadError) -> Int32
) throws(DownloadError) -> VerbWork {
    let client = DaemonClient(try DaemonPaths.current())
    return {
        do throws(DownloadError) {
            let status = try await work(client)
            if client.isDaemonOlder == true {
                console.message("pawl: note: \(DaemonClient.olderNotice.text(for: .command))")
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

private let stopped = DownloadError(
    .interrupted,
    "stopped",
    advice: "the daemon and its downloads continue"
)
