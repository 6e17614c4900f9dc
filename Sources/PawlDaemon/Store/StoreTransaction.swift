package import struct FoundationEssentials.Date
internal import PawlCore

/// The tables of the store within one transaction.
package struct StoreTransaction {
    let database: any StoreConnection

    init(_ database: any StoreConnection) { self.database = database }

    /// The time of the database at the start of the transaction.
    package var now: Date { database.now }

    /// Whether several daemons may share the database.
    package var isShared: Bool { database.dialect.isShared }

    /// This daemon as one of those that share the database; `nil` if it has not joined them.
    package var node: StoreNode? { database.node }

    /// Returns the error of a statement in the words of the queue.
    func explained(_ error: any Error, _ context: String) -> DownloadError {
        database.explained(error, context)
    }

    /// The rows of the downloads.
    package var downloads: DownloadRows { DownloadRows(database) }
    /// Pages of the list, and the downloads that a selection means.
    package var search: DownloadSearch { DownloadSearch(database) }
    /// The downloads in the order in which they start, or in which they have ended.
    package var order: DownloadOrder { DownloadOrder(database) }
    /// The positions of downloads that are added or moved, in a database that several daemons share.
    package var positions: PositionTable { PositionTable(database) }
    /// The unfinished downloads by host.
    package var hosts: DownloadHosts { DownloadHosts(database) }
    /// The downloads that have failed.
    package var failures: FailureTable { FailureTable(database) }
    /// The requests of the downloads, with their secrets.
    package var requests: RequestTable { RequestTable(database) }
    /// The starts, failures and waits of the downloads.
    package var attempts: AttemptTable { AttemptTable(database) }
    /// The new names that downloads get with their next run.
    package var renamings: RenamingTable { RenamingTable(database) }
    /// The files that downloads have written.
    package var writtenFiles: WrittenFileTable { WrittenFileTable(database) }
    /// The file operations that are carried out after the commit.
    package var intentions: IntentionTable { IntentionTable(database) }
    /// The uploads of downloads that become objects.
    package var uploads: UploadTable { UploadTable(database) }
    /// The nodes that share the queue; only in a database that several daemons may share.
    package var nodes: NodeTable { NodeTable(database) }
    /// Which node has taken which download.
    package var ownership: OwnershipTable { OwnershipTable(database) }
    /// Commands for downloads that another node has taken.
    package var commands: CommandTable { CommandTable(database) }
    /// The progress of running downloads for other nodes.
    package var progress: ProgressTable { ProgressTable(database) }
    /// What the nodes report about themselves.
    package var nodeReports: NodeReportTable { NodeReportTable(database) }
    /// The events that were published.
    package var events: EventTable { EventTable(database) }
    /// The numbers of events and of removals.
    var counters: CounterTable { CounterTable(database) }
    /// The responses with which servers have refused downloads.
    package var errorResponses: ErrorResponseTable { ErrorResponseTable(database) }
    /// The jobs of hooks that are not done yet.
    package var hooks: HookTable { HookTable(database) }
    /// The downloads that were removed a moment ago.
    package var removed: RemovedTable { RemovedTable(database) }
    /// The feeds, and their items that were seen.
    package var feeds: FeedTable { FeedTable(database) }
    /// The GIDs that clients of aria2 have chosen.
    package var gids: GIDTable { GIDTable(database) }
    /// The background sessions.
    package var sessions: SessionTable { SessionTable(database) }
    /// The labels and their settings.
    package var labels: LabelTable { LabelTable(database) }
    /// The tokens and login codes, in a database that several daemons may use.
    package var tokens: TokenTable { TokenTable(database) }
    /// The settings of the daemon, and the notes that the store keeps about itself.
    package var settings: StoredSettings { StoredSettings(database) }
    /// The idempotency keys of requests that added downloads.
    var idempotencyKeys: IdempotencyTable { IdempotencyTable(database) }
    /// The lists that are imported.
    package var imports: ImportTable { ImportTable(database) }
}
