package import PawlCore
internal import PawlWire

/// The files that downloads have written.
package struct WrittenFileTable {
    private let database: any StoreConnection

    init(_ database: any StoreConnection) { self.database = database }

    /// Returns the files of a download, the oldest record first.
    package func files(of download: Int64) throws -> [WrittenFile] {
        let files: [String] =
            try database.values(
                "SELECT file FROM written WHERE download = ? ORDER BY id",
                [download]
            )
        return files.compactMap { ColumnCoding.value($0) }
    }

    /// A download that has recorded a partial file.
    struct Writer {
        var id: Int64
        var owner: DownloadOwner
        /// The recorded mark of the file.
        var mark: String?
    }

    /// Returns the downloads that have recorded this partial file.
    func writers(ofPartialFile stamp: FileStamp) throws -> [Writer] {
        let inode = Int64(bitPattern: stamp.inode)
        return try database.rows(
            """
            SELECT download.id, download.owner, written.file
            FROM written JOIN download ON download.id = written.download
            WHERE written.inode = ?
            """,
            [inode]
        ).compactMap { row in
            guard let file: WrittenFile = ColumnCoding.value(try row["file"]),
                file.kind == .partial,
                file.stamp.isSameFile(as: stamp)
            else { return nil }
            return Writer(
                id: try row["id"],
                owner: ColumnCoding.owner(try row["owner"]),
                mark: file.mark
            )
        }
    }

    /// Whether another download has recorded a file.
    package func isRecorded(_ stamp: FileStamp, besides download: Int64) throws -> Bool {
        let files: [String] = try database.values(
            "SELECT file FROM written WHERE inode = ? AND download <> ?",
            [Int64(bitPattern: stamp.inode), download]
        )
        return files.contains { text in
            let file: WrittenFile? = ColumnCoding.value(text)
            return file?.stamp.isSameFile(as: stamp) == true
        }
    }

    /// Records a file in place of what was recorded of the same file.
    package func record(_ file: WrittenFile, of download: Int64) throws {
        let rows = try database.rows("SELECT id, file FROM written WHERE download = ?", [download])
        for row in rows {
            guard let known: WrittenFile = ColumnCoding.value(try row["file"]),
                known.isSameFile(as: file)
            else { continue }
            try database.run("DELETE FROM written WHERE id = ?", [try row["id"] as Int64])
        }
        try database.run(
            "INSERT INTO written (download, inode, kind, file) VALUES (?, ?, ?, ?)",
            [
                download, Int64(bitPattern: file.stamp.inode), file.kind.rawValue,
                ColumnCoding.text(file),
            ]
        )
    }

    /// Forgets the partial files of a download, which no longer exist.
    package func forgetPartialFiles(of download: Int64) throws {
        try database.run(
            "DELETE FROM written WHERE download = ? AND kind = ?",
            [download, WrittenFile.Kind.partial.rawValue]
        )
    }
}
