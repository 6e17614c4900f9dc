internal import GRDB
package import PawlCore
package import PawlWire

/// What is to be done on the disk, and what downloads have written there.
extension StoreTransaction {
    private static let finish = "finish"
    private static let remove = "remove"

    /// Adds what is to be carried out after the commit; returns its id.
    package func intend(
        _ deed: Intention.Deed,
        for download: Int64,
        root: String?
    ) throws -> Int64 {
        let (kind, detail) =
            switch deed {
            case .finish(let file): (Self.finish, try Self.text(file))
            case .remove(let removal): (Self.remove, try Self.text(removal))
            }
        try database.cachedStatement(
            sql: "INSERT INTO intention (download, kind, root, detail) VALUES (?, ?, ?, ?)"
        ).execute(arguments: [download, kind, root, detail])
        return database.lastInsertedRowID
    }

    /// All that are left, the oldest first.
    package func intentions() throws -> [Intention] {
        try Row.fetchAll(database, sql: "SELECT * FROM intention ORDER BY id").compactMap { row in
            let deed: Intention.Deed?
            switch row["kind"] as String {
            case Self.finish: deed = Self.value(row["detail"]).map { .finish($0) }
            case Self.remove: deed = Self.value(row["detail"]).map { .remove($0) }
            // Of a newer version.
            default: deed = nil
            }
            guard let deed else { return nil }
            return Intention(
                id: row["id"],
                download: row["download"],
                deed: deed,
                root: row["root"]
            )
        }
    }

    /// These are carried out, or will never be.
    package func fulfil(_ intentions: some Sequence<Int64>) throws {
        let statement = try database.cachedStatement(sql: "DELETE FROM intention WHERE id = ?")
        for id in intentions { try statement.execute(arguments: [id]) }
    }

    /// A run has ended: whatever it was to finish is recorded otherwise.
    package func endFinishing(of download: Int64) throws {
        try database.cachedStatement(
            sql: "DELETE FROM intention WHERE download = ? AND kind = '\(Self.finish)'"
        ).execute(arguments: [download])
    }

    // MARK: - Written files

    package func written(of download: Int64) throws -> [WrittenFile] {
        let statement = try database.cachedStatement(
            sql: "SELECT file FROM written WHERE download = ? ORDER BY id"
        )
        return try String.fetchAll(statement, arguments: [download]).compactMap { Self.value($0) }
    }

    /// The downloads that have recorded this partial file, and who has added them.
    package func writers(
        ofPartialFile stamp: FileStamp
    ) throws -> [(id: Int64, owner: DownloadOwner)] {
        let statement = try database.cachedStatement(
            sql: """
                SELECT download.id, download.owner, written.file
                FROM written JOIN download ON download.id = written.download
                WHERE written.file ->> '$.stamp.inode' = ?
                """
        )
        let inode = Int64(bitPattern: stamp.inode)
        return try Row.fetchAll(statement, arguments: [inode]).compactMap { row in
            guard let file: WrittenFile = Self.value(row["file"]), file.kind == .partial,
                file.stamp.isSameFile(as: stamp)
            else { return nil }
            let owner: String = row["owner"]
            return (row["id"], DownloadOwner(owner) ?? .token(owner))
        }
    }

    /// Records a file in place of what it was before.
    package func note(_ file: WrittenFile, of download: Int64) throws {
        let select = try database.cachedStatement(
            sql: "SELECT id, file FROM written WHERE download = ?"
        )
        for row in try Row.fetchAll(select, arguments: [download]) {
            guard let known: WrittenFile = Self.value(row["file"]), known.isSameFile(as: file)
            else { continue }
            try database.cachedStatement(sql: "DELETE FROM written WHERE id = ?")
                .execute(arguments: [row["id"]])
        }
        try database.cachedStatement(sql: "INSERT INTO written (download, file) VALUES (?, ?)")
            .execute(arguments: [download, try Self.text(file)])
    }

    /// Nothing of these is there any more.
    package func forgetPartialFiles(of download: Int64) throws {
        try database.cachedStatement(
            sql: "DELETE FROM written WHERE download = ? AND file ->> '$.kind' = 'partial'"
        ).execute(arguments: [download])
    }

    /// Whether the finished file was there before the download.
    package func wasThere(_ download: Int64) throws -> Bool {
        let statement = try database.cachedStatement(
            sql: "SELECT wasThere FROM download WHERE id = ?"
        )
        return try Bool.fetchOne(statement, arguments: [download]) ?? false
    }

    package func setWasThere(_ wasThere: Bool, _ download: Int64) throws {
        try database.cachedStatement(sql: "UPDATE download SET wasThere = ? WHERE id = ?")
            .execute(arguments: [wasThere, download])
    }
}
