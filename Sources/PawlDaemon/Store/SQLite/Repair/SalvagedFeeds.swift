internal import FoundationEssentials
internal import GRDB
internal import PawlCore
internal import PawlWire

/// The feeds that can be read from a damaged store.
struct SalvagedFeeds {
    private var found: [Feed] = []

    private struct Feed {
        var row: FeedTable.Row
        /// The keys of the items that were seen; `nil` if they are lost.
        var items: [ExactText]?
    }

    init() {}

    init(_ queue: DatabaseQueue) {
        var names: Set<ExactText> = []
        for row in Self.rows(queue) where (try? row.request.check()) != nil {
            guard (try? NewFeed.check(name: row.name)) != nil,
                names.insert(ExactText(row.name)).inserted
            else { continue }
            let items = try? queue.read { try StoreTransaction($0).feeds.items(of: row.id) }
            found.append(Feed(row: row, items: items.map { Array($0.keys) }))
        }
    }

    /// A store of an earlier version has no feeds.
    private static func rows(_ queue: DatabaseQueue) -> [FeedTable.Row] {
        var found: [FeedTable.Row] = []
        // Reading stops where the damage begins.
        try? queue.read { database in
            let sql = "SELECT * FROM feed NOT INDEXED"
            try SQLiteConnection(database, isWriting: false).forEach(sql, [], isKept: false) {
                row in
                guard found.count < FeedTable.most, let feed = FeedTable.Row(row) else { return }
                found.append(feed)
            }
        }
        return found
    }

    /// Adds the feeds to the new store.
    ///
    /// A feed whose items are lost begins with the newest one.
    func add(to transaction: StoreTransaction, at now: Date) throws {
        for feed in found {
            var row = feed.row
            if feed.items == nil {
                row.state.isKnown = false
                (row.state.entityTag, row.state.lastModified) = (nil, nil)
            }
            let id = try transaction.feeds.insert(row)
            try transaction.feeds.see(feed.items ?? [], of: id, at: now)
        }
    }
}
