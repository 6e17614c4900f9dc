internal import ArgumentParser
internal import Glibc
internal import Pawl
internal import PawlCore
internal import PawlWire

/// `pawl top`: the downloads of the daemon on the whole terminal.
struct TopCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "top",
        abstract: "Show the daemon's downloads in full screen, and control them with keys.",
        discussion: "Press ? for the keys, and q to quit; the downloads continue."
    )

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        guard console.traits.canRedraw, isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else {
            throw .usage(
                "'pawl top' needs a terminal for its input and its output",
                advice: "use 'pawl list', or 'pawl events' to follow the queue"
            )
        }
        return try daemonWork(console) { (client) async throws(DownloadError) in
            try await TopRun(client, console).run()
        }
    }
}
