internal import ArgumentParser

/// `pawl fleet`: daemons that share a queue, and what a large queue needs.
struct FleetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fleet",
        abstract: "Show the daemons that share a queue, what failed in it, and what it left.",
        discussion: """
            Without a subcommand, it shows the nodes, which are the daemons that share the queue, and \
            the queue by state and host. The subcommands also work with a daemon that has its queue \
            for itself.
            """,
        subcommands: [
            FleetNodesCommand.self, FleetTopCommand.self, FleetDrainCommand.self,
            FleetFailuresCommand.self, FleetLeftoversCommand.self,
        ],
        defaultSubcommand: FleetNodesCommand.self
    )
}
