internal import FoundationEssentials

/// The idempotency keys of requests that added downloads: a repeated request adds nothing.
struct IdempotencyTable {
    private let database: any StoreConnection

    init(_ database: any StoreConnection) { self.database = database }

    /// What a request with a key has added.
    struct Entry {
        /// The hash of the request without its secrets.
        var fingerprint: Int64
        var ids: ClosedRange<Int64>
    }

    func entry(for key: String) throws -> Entry? {
        let row = try database.row(
            "SELECT fingerprint, firstDownload, count FROM idempotency WHERE key = ?",
            [key]
        )
        guard let row else { return nil }
        let (first, count): (Int64, Int64) = try (row[1], row[2])
        return Entry(fingerprint: try row[0], ids: first...(first + max(1, count) - 1))
    }

    /// Adds a key, and forgets the keys that are older than a day.
    func add(_ key: String, _ entry: Entry, at now: Date) throws {
        try database.run(
            """
            INSERT INTO idempotency (key, fingerprint, firstDownload, count, at)
            VALUES (?, ?, ?, ?, ?)
            """,
            [
                key, entry.fingerprint, entry.ids.lowerBound, entry.ids.count,
                now.timeIntervalSince1970,
            ]
        )
        try database.run(
            "DELETE FROM idempotency WHERE at < ?",
            [now.timeIntervalSince1970 - 86_400]
        )
    }
}
