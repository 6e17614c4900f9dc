public import FoundationEssentials
public import Pawl
public import PawlCore
internal import PawlStorage
internal import SystemPackage

/// Reading and writing by key.
extension DownloadLibrary {
    /// Returns the content of a finished file, to be used as bytes, text, or JSON.
    ///
    /// - Throws: `DownloadError` with the code `.fileUnreadable` if there is no such file, others
    ///   have changed it, or it has more bytes than `limit`.
    public func contents(
        of key: StorageKey,
        limit: Int = PlaceFolder.standardLimit
    ) async throws(DownloadError) -> FetchedData {
        let context = context
        let (known, bytes) = try await context.disk.run { () throws(DownloadError) in
            try context.follower.refresh(key)
            let known = context.index.entry(key)?.file
            guard let known, !known.isChanged,
                let bytes = try context.files.read(known, limit: limit)
            else { throw Self.noFile(of: key, isChanged: known != nil) }
            return (known, bytes)
        }
        let url = URL(filePath: context.folder.string + "/" + known.name.text)
        return FetchedData(bytes, DownloadResponse(known.record.head(of: url)))
    }

    private static func noFile(of key: StorageKey, isChanged: Bool) -> DownloadError {
        let name = "'\(key.text.sanitized(atMost: 100))'"
        return isChanged
            ? DownloadError(
                .fileUnreadable,
                "another program has changed the file of the key \(name)",
                advice: "read it by its path, or fetch it again"
            )
            : DownloadError(
                .fileUnreadable,
                "there is no file for the key \(name)",
                advice: "fetch it first"
            )
    }

    /// Returns the bytes of a finished file.
    ///
    /// - Throws: `DownloadError`.
    public func data(
        of key: StorageKey,
        limit: Int = PlaceFolder.standardLimit
    ) async throws(DownloadError) -> Data {
        try await contents(of: key, limit: limit).data
    }

    /// Returns the text of a finished file, as UTF-8 unless a byte order mark shows another
    /// encoding.
    ///
    /// - Throws: `DownloadError`.
    public func string(
        of key: StorageKey,
        encoding: String.Encoding? = nil,
        limit: Int = PlaceFolder.standardLimit
    ) async throws(DownloadError) -> String {
        try await contents(of: key, limit: limit).string(encoding: encoding)
    }

    /// Decodes a finished file from JSON.
    ///
    /// - Throws: `DownloadError`.
    public func json<Value: Decodable>(
        _ type: Value.Type = Value.self,
        of key: StorageKey,
        decoder: JSONDecoder = JSONDecoder(),
        limit: Int = PlaceFolder.standardLimit
    ) async throws(DownloadError) -> Value {
        try await contents(of: key, limit: limit).json(type, decoder: decoder)
    }

    /// Writes a key's file with bytes that the program supplies.
    ///
    /// A reader sees either the old bytes or the new ones. A file of somebody else, or one of the
    /// key's own that somebody has changed, is not replaced: the new file gets a number. An
    /// unfinished download of the key stays as it is.
    ///
    /// - Throws: `DownloadError` with the code `.alreadyRunning` if the key is being fetched.
    @discardableResult
    public func write(
        _ bytes: [UInt8],
        for key: StorageKey,
        named name: String? = nil
    ) async throws(DownloadError) -> LibraryFile {
        let wanted = name.flatMap(LibraryName.usable) ?? key.readableName
        let context = context
        let now = Int64(Date().timeIntervalSince1970)
        let file = try await context.disk.run { () throws(DownloadError) in
            try context.follower.refresh(key)
            return try Self.write(
                bytes,
                FileRecord(key: key, byteCount: 0, modified: 0, finishedAt: now),
                ExactText(wanted),
                context
            )
        }
        context.index.handle(.recorded(file), changing: key)
        return LibraryFile(file, in: context.folder.string)
    }

    /// Writes the file.
    ///
    /// It blocks.
    private static func write(
        _ bytes: [UInt8],
        _ record: FileRecord,
        _ wanted: ExactText,
        _ context: LibraryContext
    ) throws(DownloadError) -> KnownFile {
        let key = record.key
        let (entry, name) = context.index.entry(key, andFreeName: wanted)
        let old = entry?.file.flatMap { $0.isChanged ? nil : $0 }
        let unfinished = entry?.download?.pending
        let pending = unfinished ?? PendingDownload(key: key, name: old?.name ?? name, url: nil)
        let note = try PendingNote.acquire(
            pending,
            in: context.folder,
            session: context.identifier
        )
        // An unfinished download keeps its note.
        defer { if unfinished == nil { try? note.remove() } else { note.release() } }
        let written = try context.files.write(bytes, to: name, replacing: old)
        let digests = context.configuration.keepsDigests
        return try context.files.note(record, on: written, digests: digests)
    }
}

extension FileRecord {
    /// Returns the server's response as far as it is stored.
    fileprivate func head(of url: URL) -> ResponseHead {
        var fields = [HTTPField(name: "Content-Length", value: "\(byteCount)")]
        if let mediaType { fields.append(HTTPField(name: "Content-Type", value: mediaType)) }
        if let entityTag { fields.append(HTTPField(name: "ETag", value: entityTag.description)) }
        if let lastModified {
            fields.append(HTTPField(name: "Last-Modified", value: lastModified))
        }
        return ResponseHead(url: url, status: 200, fields: fields)
    }
}
