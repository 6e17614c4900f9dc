internal import FoundationEssentials
internal import GRDB
internal import PawlCore
internal import PawlWire

/// Creating once, however often it is asked for.
extension StoreTransaction {
    struct RememberedKey {
        var fingerprint: Int64
        var ids: ClosedRange<Int64>
    }

    func remembered(_ key: String) throws -> RememberedKey? {
        let row = try Row.fetchOne(
            database,
            sql: "SELECT fingerprint, firstDownload, count FROM idempotency WHERE key = ?",
            arguments: [key]
        )
        guard let row else { return nil }
        let (first, count): (Int64, Int64) = (row[1], row[2])
        return RememberedKey(fingerprint: row[0], ids: first...(first + max(1, count) - 1))
    }

    func remember(_ key: String, _ value: RememberedKey, at now: Date) throws {
        try database.execute(
            sql: "INSERT INTO idempotency VALUES (?, ?, ?, ?, ?)",
            arguments: [
                key, value.fingerprint, value.ids.lowerBound, value.ids.count,
                now.timeIntervalSince1970,
            ]
        )
        // A day is long for somebody who asks again.
        try database.execute(
            sql: "DELETE FROM idempotency WHERE at < ?",
            arguments: [now.timeIntervalSince1970 - 86_400]
        )
    }

    func downloads(_ ids: ClosedRange<Int64>) throws -> [WireDownload] {
        try Row.fetchAll(
            database,
            sql: "SELECT * FROM download WHERE id BETWEEN ? AND ? ORDER BY id",
            arguments: [ids.lowerBound, ids.upperBound]
        ).map(Self.download)
    }
}
