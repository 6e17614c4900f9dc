internal import ArgumentParser
internal import Pawl
internal import PawlCore
internal import PawlWire

/// `pawl set`: changes downloads that are there.
struct SetCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Change downloads of the daemon.",
        discussion: "One that runs goes on with what is new, behind what has come."
    )

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("low, normal or high.", valueName: "priority")
    )
    var priority: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The same file at another address, where the old one has expired.",
            valueName: "url"
        )
    )
    var url: String?

    @Option(
        name: [.customShort("x", allowingJoined: true), .long],
        parsing: .unconditional,
        help: ArgumentHelp("Connections, 1 to 64.", valueName: "n")
    )
    var connections: String?

    @OptionGroup var targets: TargetOptions

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        let selection = try targets.selection()
        var changes = DownloadChanges()
        if let priority { changes.priority = try AddCommand.priority(priority) }
        if let url {
            _ = try readSource(url, place: "--url")
            guard !targets.all, targets.targets.count == 1 else {
                throw DownloadError(
                    .usage,
                    "--url for several downloads",
                    advice: "name one download"
                )
            }
            changes.url = url
        }
        if let connections {
            changes.connections = try usage("--connections") { () throws(ValueError) in
                try NumberText.count(connections, in: 1...64)
            }
        }
        guard !changes.isEmpty else {
            throw DownloadError(
                .usage,
                "nothing is to be changed",
                advice: "give --priority, --url or --connections"
            )
        }
        let (asked, json) = (changes, targets.json)
        return try daemonWork(console) { (client) async throws(DownloadError) in
            let outcome = try await client.change(selection, asked)
            show(outcome, json: json, said: "changed", console)
            return 0
        }
    }
}
