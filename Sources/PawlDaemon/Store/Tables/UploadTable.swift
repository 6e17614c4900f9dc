package import struct FoundationEssentials.Date
package import Pawl
package import PawlCore
package import PawlWire

/// The uploads of downloads that become objects, and their parts that the service has acknowledged.
///
/// They outlive their downloads, until they are completed or aborted.
package struct UploadTable {
    private let database: any StoreConnection

    init(_ database: any StoreConnection) { self.database = database }

    /// An upload that no download continues.
    package struct Abandoned: Sendable, Hashable {
        package var download: Int64
        package var name: UploadName
        /// How the service is reached.
        package var service: SettingsDocument<DownloadSettings>
    }

    // MARK: - One download

    /// Returns what is recorded of a download.
    package func recorded(of download: Int64) throws -> LedgerFinding {
        guard let row = try database.row("SELECT * FROM upload WHERE download = ?", [download])
        else { return .nothing }
        guard let upload = Self.upload(row) else { return .damaged(Self.name(row)) }
        let parts = try database.rows(
            "SELECT * FROM part WHERE download = ? ORDER BY number",
            [download]
        )
        // A part that cannot be read is uploaded again.
        return .upload(upload, parts.compactMap(Self.part))
    }

    /// Records an upload; parts of another one are forgotten.
    package func record(
        _ upload: RecordedUpload,
        of download: Int64,
        service: SettingsDocument<DownloadSettings>,
        at now: Date
    ) throws {
        if let known = try recordedID(of: download), !known.isExactly(upload.name.id) {
            try forget(download)
        }
        var writer = ByteWriter(capacity: 256)
        writer.put(upload.representation)
        try database.run(
            """
            INSERT INTO upload (download, upload, address, mark, representation, source, partBytes,
                    attempt, state, service, changedAt)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (download) DO UPDATE SET address = excluded.address,
                    mark = excluded.mark, representation = excluded.representation,
                    source = excluded.source, partBytes = excluded.partBytes,
                    attempt = excluded.attempt, state = excluded.state,
                    service = excluded.service, changedAt = excluded.changedAt
            """,
            [
                download, upload.name.id, upload.name.address, upload.mark, writer.bytes,
                upload.source, upload.partBytes, upload.attempt, Int(upload.state.rawValue),
                try ColumnCoding.text(service), now.timeIntervalSince1970,
            ]
        )
    }

    /// Adds parts to an upload of a download, unless the download has another one by now.
    package func record(
        _ parts: [RecordedPart],
        of upload: String,
        _ download: Int64,
        at now: Date
    ) throws {
        guard try isRecorded(upload, of: download) else { return }
        for part in parts {
            try database.run(
                """
                INSERT INTO part (download, number, partNumber, bytes, tag, checksum, sha256)
                    VALUES (?, ?, ?, ?, ?, ?, ?)
                    ON CONFLICT (download, number) DO UPDATE SET
                        partNumber = excluded.partNumber, bytes = excluded.bytes,
                        tag = excluded.tag, checksum = excluded.checksum,
                        sha256 = excluded.sha256
                """,
                [
                    download, part.index, part.part.number, part.part.bytes, part.part.tag,
                    part.part.checksum.bytes, part.part.sha256,
                ]
            )
        }
        try database.run(
            "UPDATE upload SET changedAt = ? WHERE download = ?",
            [now.timeIntervalSince1970, download]
        )
    }

    /// Forgets the upload of a download, which was completed or aborted.
    package func forget(_ download: Int64) throws {
        try database.run("DELETE FROM part WHERE download = ?", [download])
        try database.run("DELETE FROM upload WHERE download = ?", [download])
    }

    /// Forgets the upload of a download that has finished; only one that is being completed is
    /// forgotten.
    package func finish(_ download: Int64) throws {
        let sql = "SELECT state FROM upload WHERE download = ?\(database.rowLock)"
        let state: Int? = try database.value(sql, [download])
        let completing: [RecordedUpload.State] = [.completing, .completingVerified]
        guard completing.contains(where: { Int($0.rawValue) == state }) else { return }
        try forget(download)
    }

    /// Forgets an upload of a download, unless the download has another one by now.
    package func forget(_ name: UploadName, of download: Int64) throws {
        if try isRecorded(name.id, of: download) { try forget(download) }
    }

    /// Whether the upload with an identifier is that of a download.
    private func isRecorded(_ upload: String, of download: Int64) throws -> Bool {
        try recordedID(of: download)?.isExactly(upload) == true
    }

    private func recordedID(of download: Int64) throws -> String? {
        let sql = "SELECT upload FROM upload WHERE download = ?\(database.rowLock)"
        return try database.value(sql, [download])
    }

    /// Records that the upload of a download is to be aborted.
    package func abandon(_ download: Int64) throws {
        try database.run(
            "UPDATE upload SET state = ? WHERE download = ?",
            [Int(RecordedUpload.State.aborting.rawValue), download]
        )
    }

    // MARK: - All downloads

    /// Returns the uploads that are to be aborted: those whose download has finished, was cancelled
    /// or was removed, and those to which nothing was added since `date`.
    ///
    /// If several nodes share the queue, those that another one may still continue are left to it.
    package func abandoned(before date: Date) throws -> [Abandoned] {
        let isElsewhere =
            database.dialect.isShared
            ? """
            EXISTS (SELECT 1 FROM download WHERE download.id = upload.download
                AND download.node <> \(database.node?.id ?? 0))
            """ : "FALSE"
        return try database.rows(
            """
            SELECT * FROM upload WHERE \(Self.isAbandoned) AND NOT \(isElsewhere)
            ORDER BY download\(database.rowLock)
            """,
            [Int(RecordedUpload.State.aborting.rawValue), date.timeIntervalSince1970]
        ).compactMap { row in
            guard let download: Int64 = row.ifValid("download"), let name = Self.name(row) else {
                return nil
            }
            let text: String? = row.ifValid("service")
            let service: SettingsDocument<DownloadSettings>? = ColumnCoding.value(text)
            return Abandoned(
                download: download,
                name: name,
                service: service ?? SettingsDocument()
            )
        }
    }

    /// The condition that an upload is to be aborted; its first parameter is the state of those that
    /// are being aborted, and the second the time since which something must have been added.
    private static let isAbandoned = """
        (upload.state = ?1 OR upload.changedAt < ?2
            OR EXISTS (SELECT 1 FROM download WHERE download.id = upload.download
                AND download.state IN ('finished', 'cancelled'))
            OR NOT EXISTS (SELECT 1 FROM download WHERE download.id = upload.download)
                AND NOT EXISTS (SELECT 1 FROM removed
                    WHERE removed.download = upload.download))
        """

    /// Returns a page of the uploads that no running or waiting download continues, and of those
    /// that are to be aborted.
    ///
    /// - Parameters:
    ///   - rest: The time after which an upload is aborted to which nothing was added.
    ///   - cursor: The download after which the page begins.
    package func leftovers(
        restingAtMost rest: Double,
        at now: Date,
        after cursor: Int64,
        limit: Int
    ) throws -> WireLeftovers {
        let seconds = now.timeIntervalSince1970
        let found = try database.rows(
            """
            SELECT upload.download, upload.upload, upload.address, upload.changedAt,
                known.state AS downloadState,
                CASE WHEN \(Self.isAbandoned) THEN 1 ELSE 0 END AS isAbandoned,
                (SELECT COUNT(*) FROM part WHERE part.download = upload.download) AS parts,
                (SELECT CAST(COALESCE(SUM(part.bytes), 0) AS BIGINT) FROM part
                    WHERE part.download = upload.download) AS bytes
            FROM upload LEFT JOIN download AS known ON known.id = upload.download
            WHERE upload.download > ?3 AND upload.upload <> ''
                AND (\(Self.isAbandoned) OR known.state IS NULL
                    OR known.state NOT IN ('waiting', 'waitingForConnectivity', 'running'))
            ORDER BY upload.download LIMIT ?4
            """,
            [
                Int(RecordedUpload.State.aborting.rawValue), seconds - rest, cursor, limit + 1,
            ],
            as: { row in try Self.leftover(row, restingAtMost: rest, at: seconds) }
        )
        let page = Array(found.prefix(limit))
        return WireLeftovers(page, next: found.count > limit ? page.last?.download : nil)
    }

    private static func leftover(
        _ row: StoreRow,
        restingAtMost rest: Double,
        at now: Double
    ) throws -> WireLeftover {
        let name = name(row)
        var leftover = WireLeftover(
            download: try row["download"],
            object: name?.address ?? "",
            upload: name?.id ?? ""
        )
        let state: String? = row.ifValid("downloadState")
        leftover.state = state.map { TaskState(rawValue: $0) ?? .failed }
        leftover.parts = row.ifValid("parts") ?? 0
        leftover.bytes = row.ifValid("bytes") ?? 0
        leftover.ageSeconds = max(0, now - (row.ifValid("changedAt") ?? now))
        let isAbandoned: Bool = row.ifValid("isAbandoned") ?? true
        leftover.abortedInSeconds = isAbandoned ? 0 : max(0, rest - leftover.ageSeconds)
        return leftover
    }

    /// Returns how each bucket that uploads or the newest downloads name is reached, by the bucket's
    /// `s3:` URL.
    package func buckets() throws -> [String: SettingsDocument<DownloadSettings>] {
        var found: [String: SettingsDocument<DownloadSettings>] = [:]
        // Those of uploads come later, because only they have settings.
        let destinations: [String] = try database.values(
            """
            SELECT destination FROM
                (SELECT destination FROM download ORDER BY id DESC LIMIT 10000) AS newest
            WHERE substr(destination, 1, 5) = 's3://'
            """
        )
        for text in destinations {
            if let bucket = Self.bucket(of: text) { found[bucket] = SettingsDocument() }
        }
        try database.forEach("SELECT address, service FROM upload", [], isKept: true) { row in
            guard let address: String = row.ifValid("address"),
                let bucket = Self.bucket(of: address)
            else { return }
            let text: String? = row.ifValid("service")
            found[bucket] = ColumnCoding.value(text) ?? SettingsDocument()
        }
        return found
    }

    private static func bucket(of address: String) -> String? {
        AddressParts(address).host.map { "s3://\($0)/" }
    }

    /// Returns the service's identifiers of all uploads.
    package func known() throws -> Set<String> {
        Set(try database.values("SELECT upload FROM upload"))
    }

    // MARK: - Rows

    private static func name(_ row: StoreRow) -> UploadName? {
        guard let id: String = row.ifValid("upload"), let address: String = row.ifValid("address")
        else { return nil }
        return UploadName(id: id, address: address)
    }

    private static func upload(_ row: StoreRow) -> RecordedUpload? {
        guard let name = name(row), let mark: String = row.ifValid("mark"),
            let bytes: [UInt8] = row.ifValid("representation"),
            let source: String = row.ifValid("source"),
            let partBytes: Int64 = row.ifValid("partBytes"), partBytes > 0,
            let attempt: Int = row.ifValid("attempt"), (0..<Int(Int32.max)).contains(attempt),
            let code: Int = row.ifValid("state"), let number = UInt8(exactly: code),
            let state = RecordedUpload.State(rawValue: number),
            let representation = readRepresentation(bytes)
        else { return nil }
        return RecordedUpload(
            name: name,
            mark: mark,
            representation: representation,
            source: source,
            partBytes: partBytes,
            attempt: attempt,
            state: state
        )
    }

    private static func readRepresentation(_ bytes: [UInt8]) -> Representation? {
        var reader = ByteReader(bytes[...])
        // A representation that cannot be read makes the record unusable.
        return try? reader.representation()
    }

    private static func part(_ row: StoreRow) -> RecordedPart? {
        guard let index: Int = row.ifValid("number"), index >= 0,
            let number: Int = row.ifValid("partNumber"),
            let bytes: Int64 = row.ifValid("bytes"), let tag: String = row.ifValid("tag"),
            let checksum: [UInt8] = row.ifValid("checksum"), checksum.count == 4
        else { return nil }
        let part = UploadedPart(
            number: number,
            bytes: bytes,
            tag: tag,
            checksum: ObjectChecksum(checksum),
            sha256: row.ifValid("sha256")
        )
        return RecordedPart(index: index, part: part)
    }
}
