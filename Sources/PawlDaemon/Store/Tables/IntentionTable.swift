package import PawlCore

/// The file operations that are carried out after the commit.
package struct IntentionTable {
    private let database: any StoreConnection

    init(_ database: any StoreConnection) { self.database = database }

    private static let finish = "finish"
    private static let remove = "remove"
    private static let move = "move"

    /// The form in which a move is stored.
    private struct Move: Codable {
        var file: WrittenFile
        var folder: String
        var copy: FileStamp?
    }

    /// Adds an operation; returns its id.
    ///
    /// `root`: the folder that it must not leave.
    package func add(
        _ operation: Intention.Operation,
        for download: Int64,
        root: String?
    ) throws -> Int64 {
        let (kind, detail) =
            switch operation {
            case .finish(let file): (Self.finish, try ColumnCoding.text(file))
            case .remove(let removal): (Self.remove, try ColumnCoding.text(removal))
            case .move(let file, let folder, let copy):
                (Self.move, try ColumnCoding.text(Move(file: file, folder: folder, copy: copy)))
            }
        let id = try database.insert(
            """
            INSERT INTO intention (download, kind, root, detail) VALUES (?, ?, ?, ?) RETURNING id
            """,
            [download, kind, root, detail]
        )
        try OwnershipTable(database).setHome(ofIntention: id, of: download)
        return id
    }

    /// Adds a move.
    func add(_ job: MoveJob) throws {
        let operation = Intention.Operation.move(job.file, to: job.folder, copy: job.copy)
        _ = try add(operation, for: job.download, root: job.root)
    }

    /// Records the stamp of the copy that a move has made, before the copy gets its name.
    package func noteCopy(_ stamp: FileStamp, of download: Int64) throws {
        let rows = try database.rows(
            "SELECT id, detail FROM intention WHERE download = ? AND kind = ?",
            [download, Self.move]
        )
        for row in rows {
            guard var move: Move = ColumnCoding.value(try row["detail"]) else { continue }
            move.copy = stamp
            try database.run(
                "UPDATE intention SET detail = ? WHERE id = ?",
                [try ColumnCoding.text(move), try row["id"] as Int64]
            )
        }
    }

    /// Returns operations that are still to be carried out, the oldest first, and the id of the last
    /// one that was read, or `nil` if there is no further one; if several nodes share the queue, only
    /// those on files of this one.
    package func page(
        after id: Int64 = .min,
        limit: Int
    ) throws -> (intentions: [Intention], last: Int64?) {
        var (condition, values): (String, [(any SQLEncodable)?]) = ("TRUE", [id, limit])
        if let node = database.node {
            (condition, values) = ("COALESCE(home, ?3) = ?3", values + [node.name])
        }
        let rows = try database.rows(
            "SELECT * FROM intention WHERE id > ?1 AND \(condition) ORDER BY id LIMIT ?2",
            values
        )
        return (try rows.compactMap(Self.intention), try rows.last.map { try $0["id"] })
    }

    /// Returns the removals of a download's files that are still to be carried out.
    package func removals(of download: Int64) throws -> [(id: Int64, removal: Removal)] {
        try database.rows("SELECT * FROM intention WHERE download = ? ORDER BY id", [download])
            .compactMap(Self.intention)
            .compactMap { intention in
                guard case .remove(let removal) = intention.operation else { return nil }
                return (intention.id, removal)
            }
    }

    private static func intention(_ row: StoreRow) throws -> Intention? {
        let operation: Intention.Operation?
        switch try row["kind"] as String {
        case finish: operation = ColumnCoding.value(try row["detail"]).map { .finish($0) }
        case remove: operation = ColumnCoding.value(try row["detail"]).map { .remove($0) }
        case move:
            let move: Move? = ColumnCoding.value(try row["detail"])
            operation = move.map { .move($0.file, to: $0.folder, copy: $0.copy) }
        // A newer version wrote it.
        default: operation = nil
        }
        guard let operation else { return nil }
        return Intention(
            id: try row["id"],
            download: try row["download"],
            operation: operation,
            root: try row["root"]
        )
    }

    /// Deletes operations that were carried out, or never will be.
    package func delete(_ ids: some Sequence<Int64>) throws {
        for id in ids { try database.run("DELETE FROM intention WHERE id = ?", [id]) }
    }

    /// Deletes the operations that finish and move a run's file, because the row records the end of the
    /// run.
    package func deleteFinishing(of download: Int64) throws {
        try database.run(
            "DELETE FROM intention WHERE download = ? AND kind IN (?, ?)",
            [download, Self.finish, Self.move]
        )
    }
}
