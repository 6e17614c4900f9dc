internal import ArgumentParser
internal import FoundationEssentials
internal import Pawl
internal import PawlCore
internal import PawlWire

/// `pawl feed list`: lists feeds.
struct FeedListCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Show the feeds, their last and next checks, and how many downloads they added."
    )

    @Argument(
        help: ArgumentHelp("Only these feeds: names, name patterns or IDs.", valueName: "feed")
    )
    var names: [String] = []

    @Flag(help: "Print JSON.")
    var json = false

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        let (names, json) = (names, json)
        return try daemonWork(console) { (client) async throws(DownloadError) in
            let feeds = try await FeedCommand.feeds(names, client)
            console.show(feeds, json: json) { FeedReport(now: Date()).table(feeds) }
            return 0
        }
    }
}
