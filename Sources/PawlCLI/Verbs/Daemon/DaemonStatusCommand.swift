internal import ArgumentParser
internal import Pawl
internal import PawlCore
internal import PawlWire

/// `pawl daemon status`: shows the state of the daemon and a summary of its queue.
struct DaemonStatusCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show whether the daemon is running, and a summary of its queue."
    )

    @Flag(help: "Print a JSON object.")
    var json = false

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        let json = json
        return try daemonWork(console) { (client) async throws(DownloadError) in
            try await client.process.checkRuns()
            let status = try await client.status()
            console.show(status, json: json) { DaemonReport.text(status) }
            return 0
        }
    }
}
