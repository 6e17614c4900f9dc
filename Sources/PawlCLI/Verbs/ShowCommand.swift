internal import ArgumentParser
internal import Pawl
internal import PawlCore
internal import PawlWire

/// `pawl show`: shows all details of downloads.
struct ShowCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show all details of downloads.",
        discussion: "Times are local; with --json they are UTC."
    )

    @Argument(
        help: ArgumentHelp("IDs, names or name patterns.", valueName: "download")
    )
    var targets: [String]

    @Flag(help: "Print JSON.")
    var json = false

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        let (json, selection) = (json, Selection(targets: targets))
        return try daemonWork(console) { (client) async throws(DownloadError) in
            let found = try await client.selected(selection)
            console.show(found, json: json) {
                found.map { DownloadReport.text($0) }.joined(separator: "\n")
            }
            return 0
        }
    }
}
