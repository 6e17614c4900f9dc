internal import ArgumentParser
internal import Pawl
internal import PawlCore
internal import PawlWire

/// `pawl fleet drain`: lets a node hand over its downloads.
struct FleetDrainCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "drain",
        abstract: "Let a node finish what it has begun, and take no more downloads.",
        discussion: "Restart the node's daemon to let it take downloads again."
    )

    @Argument(help: ArgumentHelp("The name of the node in 'pawl fleet'.", valueName: "node"))
    var node: String

    @Flag(help: "Print JSON.")
    var json = false

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        let (node, json) = (node, json)
        return try daemonWork(console) { (client) async throws(DownloadError) in
            let drained = try await client.drain(node)
            console.show(drained, json: json) {
                "\(drained.name.sanitized)\t\(drained.state.rawValue)\n"
            }
            return 0
        }
    }
}
