internal import ArgumentParser
internal import Pawl
internal import PawlCore
internal import PawlWire

/// `pawl daemon start`: starts the daemon in the background unless it is running.
struct DaemonStartCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "start",
        abstract: "Start the daemon in the background unless it is running."
    )

    @OptionGroup var options: DaemonOptions

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        try options.prepare(console)
        let (arguments, unapplied) = (try options.arguments(), try UnappliedOptions(options))
        return try ownDaemonWork("pawl daemon start", console) {
            (client) async throws(DownloadError) in
            let start = try await client.process.start(arguments)
            try await unapplied.apply(to: client, after: start, console)
            let status = try await client.status()
            let state = start == .earlier ? "is already running" : "has started"
            let url = status.url.map { " and listens at \($0)" } ?? ""
            console.message("The daemon (process \(status.processIdentifier)) \(state)\(url).")
            if let problem = status.listenProblem {
                console.message("The API over TCP is not available: \(problem.sanitized).")
            }
            if let url = status.baseURL { console.message("A proxy serves it at \(url).") }
            if let url = status.aria2URL { console.message("Clients of aria2 use \(url).") }
            if let problem = status.aria2Problem {
                console.message("Clients of aria2 cannot connect: \(problem.sanitized).")
            }
            return 0
        }
    }
}
