internal import ArgumentParser
internal import Pawl
internal import PawlCore
internal import PawlWire

/// `pawl daemon restart`: stops and starts the daemon, for example after an upgrade.
struct DaemonRestartCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "restart",
        abstract: "Stop the daemon and start it again; running downloads resume.",
        discussion: "Without options, the daemon uses the options of its previous start."
    )

    @OptionGroup var options: DaemonOptions

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        try options.prepare(console)
        let (arguments, unapplied) = (try options.arguments(), try UnappliedOptions(options))
        return try ownDaemonWork("pawl daemon restart", console) {
            (client) async throws(DownloadError) in
            let (old, start, status) = try await client.process.restart(
                arguments.isEmpty ? nil : arguments
            )
            try await unapplied.apply(to: client, after: start, console)
            let before = old.map { " (was process \($0))" } ?? ""
            console.message(
                "The daemon (process \(status.processIdentifier), version \(status.version)) "
                    + "has started\(before)."
            )
            return 0
        }
    }
}
