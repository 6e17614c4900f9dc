internal import ArgumentParser
internal import Pawl
internal import PawlCore
internal import PawlWire

/// `pawl feed check`: checks feeds now.
struct FeedCheckCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check feeds now, and add new items.",
        discussion: "Without a name, all feeds are checked."
    )

    @OptionGroup var targets: FeedTargetOptions

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        let (names, json) = (targets.names, targets.json)
        return try daemonWork(console) { (client) async throws(DownloadError) in
            var checks: [WireFeedCheck] = []
            for feed in try await FeedCommand.feeds(names, client) {
                checks.append(try await client.checkFeed(feed.id))
            }
            console.show(checks, json: json) { checks.map(FeedReport.line).joined() }
            let problems = checks.compactMap(\.feed.problem)
            for problem in problems { console.report(problem.error) }
            return problems.first?.code.exitStatus ?? 0
        }
    }
}
