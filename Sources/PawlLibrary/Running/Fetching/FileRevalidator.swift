internal import struct FoundationEssentials.URL
internal import Pawl
internal import PawlCore
internal import PawlEngine
internal import PawlStorage

/// Asks the server whether a library's file has changed.
struct FileRevalidator: Sendable {
    private let library: LibraryContext

    init(_ library: LibraryContext) { self.library = library }

    /// Returns the file's current state if the server confirms the file.
    ///
    /// Returns `nil` if the server has another version, or if the file was changed or removed
    /// meanwhile.
    func current(_ file: KnownFile, _ url: URL) async throws(DownloadError) -> KnownFile? {
        guard try await isConfirmed(file, url) else { return nil }
        let (files, key) = (library.files, file.record.key)
        let names = [library.index.entry(key)?.file?.name, file.name]
        return try await library.disk.run { () throws(DownloadError) in
            guard let now = try files.known(key, among: names.compactMap(\.self)),
                now.record.entityTag == file.record.entityTag,
                now.record.lastModified == file.record.lastModified
            else { return nil }
            return now
        }
    }

    /// Sends one conditional request (RFC 9110 §13.1).
    private func isConfirmed(_ file: KnownFile, _ url: URL) async throws(DownloadError) -> Bool {
        let settings = library.settings(of: file.record.key, for: url)
        var request = DownloadRequest(url) { $0 = settings }
        if let tag = file.record.entityTag {
            request.fields.append(HTTPField(name: "If-None-Match", value: tag.description))
        } else if let date = file.record.lastModified {
            request.fields.append(HTTPField(name: "If-Modified-Since", value: date))
        } else {
            return false
        }
        let stream = try await library.session.bytes(for: request)
        // The new content is fetched by a task, which can be resumed later.
        stream.cancel()
        let response = stream.response
        return response.status == 304 || file.record.isProvenSame(by: response)
    }
}

extension FileRecord {
    /// Whether a complete response is of this file: some servers ignore a condition and send the
    /// whole file with the same strong entity tag (RFC 9110 §8.8.3).
    fileprivate func isProvenSame(by response: DownloadResponse) -> Bool {
        guard response.status == 200, let entityTag,
            let tag = response.value("ETag").flatMap(EntityTag.init(lenient:)),
            entityTag.matchesStrongly(tag),
            response.value("Content-Encoding") == nil
        else { return false }
        return response.value("Content-Length").flatMap { Int64($0) } ?? byteCount == byteCount
    }
}
