internal import ArgumentParser
internal import FoundationEssentials
internal import Pawl
internal import PawlCore
internal import PawlWire

/// `pawl list`: lists the downloads in the queue.
struct ListCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the downloads in the queue.",
        discussion: """
            Without --all, lists all downloads that have not ended, and the 20 newest downloads \
            that have ended. Running downloads come first, then waiting ones in the order of the \
            queue, then ended ones, newest first. Times are local; with --json they are UTC. Names \
            are shortened only on a terminal.
            """
    )

    @Argument(
        help: ArgumentHelp(
            "Only these downloads: IDs, names or name patterns.",
            valueName: "download"
        )
    )
    var targets: [String] = []

    @Flag(
        name: .shortAndLong,
        help: "Include all downloads that have ended, not only the newest 20."
    )
    var all = false

    @OptionGroup var filter: FilterOptions
    @OptionGroup var labels: LabelOptions

    @Flag(help: "Print JSON.")
    var json = false

    @Flag(name: .shortAndLong, help: "Update the list in place until Ctrl-C.")
    var watch = false

    private static let endedShown = 20
    private static let watchInterval: Duration = .milliseconds(500)

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        let query = try query()
        let listsAll = all || !query.states.isEmpty || !targets.isEmpty
        let json = json
        if watch { try checkWatch(console) }
        let watch = watch
        return try daemonWork(console) { (client) async throws(DownloadError) in
            let fetch = { @Sendable () async throws(DownloadError) -> [WireDownload] in
                listsAll
                    ? try await client.all(query)
                    : try await client.recent(query, ended: Self.endedShown)
            }
            try await client.check(query.targets)
            if watch { return try await Self.show(fetch, console) }
            let downloads = try await fetch().inQueueOrder
            console.show(downloads, json: json) {
                DownloadTable(now: Date()).text(downloads, columns: console.outputColumns)
            }
            return 0
        }
    }

    private func query() throws(DownloadError) -> ListQuery {
        var query = ListQuery()
        query.limit = ListQuery.mostLimit
        (query.session, query.label) = (filter.session, labels.label)
        query.targets = targets
        query.states = try filter.states() ?? []
        return query
    }

    private func checkWatch(_ console: Console) throws(DownloadError) {
        guard !json, console.traits.canRedraw else {
            throw .usage(
                json ? "--watch and --json cannot be combined" : "--watch requires a terminal",
                advice: "for JSON, use 'pawl events --json --progress'"
            )
        }
    }

    /// Draws the table in place until the task is cancelled.
    private static func show(
        _ fetch: @Sendable () async throws(DownloadError) -> [WireDownload],
        _ console: Console
    ) async throws(DownloadError) -> Int32 {
        while !Task.isCancelled {
            let size = console.size
            let downloads: [WireDownload]
            do throws(DownloadError) {
                downloads = try await fetch().inQueueOrder
            } catch {
                // Ctrl-C also interrupts the request.
                guard Task.isCancelled else { throw error }
                break
            }
            let columns = Int(size.columns) - 1
            let lines = DownloadTable(now: Date()).text(downloads, columns: columns)
                .split(separator: "\n").map { String($0).shortened(toColumns: columns) }
            let room = max(2, Int(size.rows) - 1)
            console.draw(Array(lines.prefix(room)), on: size)
            // The loop checks for cancellation.
            try? await Task.sleep(for: watchInterval)
        }
        console.removeBlock()
        return 0
    }
}
