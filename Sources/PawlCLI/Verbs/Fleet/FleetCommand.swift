internal import ArgumentParser

/// `pawl fleet`: what many downloads, and many machines with one queue, need.
struct FleetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fleet",
        abstract: "Show what a large queue has left in buckets.",
        subcommands: [FleetLeftoversCommand.self]
    )
}
