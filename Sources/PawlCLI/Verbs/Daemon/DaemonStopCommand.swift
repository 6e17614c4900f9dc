internal import ArgumentParser
internal import Pawl
internal import PawlCore
internal import PawlWire

/// `pawl daemon stop`: stops the daemon; running downloads resume with its next start.
struct DaemonStopCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "stop",
        abstract: "Stop the daemon; running downloads resume when it next starts."
    )

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        try ownDaemonWork("pawl daemon stop", console) { (client) async throws(DownloadError) in
            let process = try await client.process.stop()
            console.message("The daemon (process \(process)) has stopped.")
            return 0
        }
    }
}
