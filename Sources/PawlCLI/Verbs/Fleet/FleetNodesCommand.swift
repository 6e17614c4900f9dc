internal import ArgumentParser
internal import Pawl
internal import PawlCore
internal import PawlWire

/// `pawl fleet`: shows the nodes and their queue.
struct FleetNodesCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "nodes",
        abstract: "Show the daemons that share a queue, and the queue by state and host.",
        usage: "pawl fleet [nodes] [--json]"
    )

    @Flag(help: "Print JSON.")
    var json = false

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        let json = json
        return try daemonWork(console) { (client) async throws(DownloadError) in
            let fleet = try await client.fleet()
            console.show(fleet, json: json) {
                FleetReport.fleet(fleet, width: console.outputColumns)
            }
            return 0
        }
    }
}
