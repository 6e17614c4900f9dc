internal import ArgumentParser

/// `pawl fleet`: what many downloads, and many machines with one queue, need.
struct FleetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fleet",
        abstract: "Show what failed in a large queue, and what it has left in buckets.",
        subcommands: [FleetFailuresCommand.self, FleetLeftoversCommand.self]
    )
}
