public import FoundationEssentials
public import PawlCore
internal import PawlStorage
internal import SystemPackage
internal import Synchronization

/// Reading and writing by key.
extension DownloadLibrary {
    /// A finished file as a whole, in memory: its bytes, its text, its JSON.
    ///
    /// - Throws: `DownloadError` with the code `.fileUnreadable` where there is no such file, or it has
    ///   more bytes than `limit`.
    public func contents(
        of key: StorageKey,
        limit: Int = PlaceFolder.standardLimit
    ) async throws(DownloadError) -> FetchedData {
        let known = keeper.state.withLock { $0.index.entries[key]?.file }
        guard let known else {
            throw DownloadError(
                .fileUnreadable,
                "there is no file of '\(key.text.sanitized(atMost: 100))'",
                advice: "fetch it first"
            )
        }
        let bytes = try await folder.read(known.name, limit: limit)
        return FetchedData(bytes, DownloadResponse(known.record.head(of: keeper.path(known.name))))
    }

    /// The bytes of a finished file.
    ///
    /// - Throws: `DownloadError`.
    public func data(
        of key: StorageKey,
        limit: Int = PlaceFolder.standardLimit
    ) async throws(DownloadError) -> Data {
        try await contents(of: key, limit: limit).data
    }

    /// The text of a finished file; UTF-8 where it has no mark that says otherwise.
    ///
    /// - Throws: `DownloadError`.
    public func string(
        of key: StorageKey,
        encoding: String.Encoding? = nil,
        limit: Int = PlaceFolder.standardLimit
    ) async throws(DownloadError) -> String {
        try await contents(of: key, limit: limit).string(encoding: encoding)
    }

    /// The value of a finished file of JSON.
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

    /// Writes a key's file: of bytes that the program made itself.
    ///
    /// Whoever reads it meets the old bytes or the new ones.
    ///
    /// - Throws: `DownloadError` with the code `.alreadyRunning` where the key is being fetched.
    @discardableResult
    public func write(
        _ bytes: [UInt8],
        for key: StorageKey,
        named name: String? = nil
    ) async throws(DownloadError) -> LibraryFile {
        let wanted = name.flatMap(FileName.clean) ?? key.fileName
        let order = keeper.state.withLock { state in
            let known = state.index.entries[key]?.file?.name
            let name = known ?? state.index.freeName(wanted, for: key)
            var order = PendingDownload(key: key, name: name, url: nil)
            order.replaces = known != nil
            return order
        }
        let (files, digests) = (keeper.files, keeper.configuration.keepsDigests)
        let now = Int64(Date().timeIntervalSince1970)
        let file = try await keeper.disk.run { () throws(DownloadError) in
            let note = try PendingNote.claim(order, in: files.folder)
            let name = try files.write(bytes, to: order.name, replacing: order.replaces)
            let record = FileRecord(key: key, byteCount: 0, modified: 0, finishedAt: now)
            let file = try files.note(record, on: name, digests: digests)
            try note.remove()
            return file
        }
        keeper.changed { $0.handle(.recorded(file)) }
        return LibraryFile(file, in: keeper.folder.string)
    }
}

extension LibraryKeeper {
    fileprivate func path(_ name: String) -> URL { URL(filePath: folder.string + "/" + name) }
}

extension FileRecord {
    /// As the server answered, as far as it is kept.
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
