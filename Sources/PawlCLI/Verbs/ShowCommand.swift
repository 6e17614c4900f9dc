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
        var query = ListQuery()
        query.limit = ListQuery.mostLimit
        let (json, targets, base) = (json, targets, query)
        return try daemonWork(console) { (client) async throws(DownloadError) in
            var downloads: [Int64: WireDownload] = [:]
            for target in targets {
                var query = base
                query.targets = [target]
                let found = try await client.all(query)
                guard !found.isEmpty else { throw Self.notFound(target) }
                for download in found { downloads[download.id] = download }
            }
            let sorted = downloads.values.sorted { $0.id < $1.id }
            console.output(
                json
                    ? JSONText.pretty(sorted) + "\n"
                    : sorted.map { DownloadReport.text($0) }.joined(separator: "\n")
            )
            return 0
        }
    }

    static func notFound(_ target: String) -> DownloadError {
        DownloadError(
            .notFound,
            "no download matches '\(target.sanitized(atMost: 100))'",
            advice: "see 'pawl list --all'"
        )
    }
}
