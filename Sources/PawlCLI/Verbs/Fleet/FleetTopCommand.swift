internal import ArgumentParser
internal import Glibc
internal import Pawl
internal import PawlCore
internal import PawlWire

/// `pawl fleet top`: shows the nodes and their queue on the whole terminal.
struct FleetTopCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "top",
        abstract: "Show the nodes and their queue in full screen, updated each second.",
        discussion: "Press q to quit. Without a terminal, it prints what 'pawl fleet' prints."
    )

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        let isScreen =
            console.traits.canRedraw && isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
        return try daemonWork(console) { (client) async throws(DownloadError) in
            if isScreen { return try await FleetTopRun(client, console).run() }
            console.output(
                FleetReport.fleet(try await client.fleet(), width: console.outputColumns)
            )
            return 0
        }
    }
}
