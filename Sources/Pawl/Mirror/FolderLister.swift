package import PawlCore
internal import struct FoundationEssentials.URL

/// Requests the lists of folders: pages with links over HTTP, and the lists of FTP and SFTP.
package struct FolderLister: Sendable {
    private let session: DownloadSession
    private let settings: DownloadSettings

    /// The maximum length of a list, in bytes.
    private static let mostBytes = 512 << 20
    /// The maximum number of entries of a list.
    private static let mostEntries = 4_000_000

    package init(_ session: DownloadSession, _ settings: DownloadSettings) {
        (self.session, self.settings) = (session, settings)
    }

    /// Returns the content of a folder, and the URL that it has after redirects.
    package func list(
        _ folder: ListedFolder
    ) async throws(DownloadError) -> (content: FolderContent, address: String) {
        guard let url = AddressParts(folder.address).requestURL,
            let scheme = URLScheme(of: url.scheme)
        else { throw .usage("'\(folder.address.sanitized)' is not a URL") }
        var request = DownloadRequest(url) { [settings] in $0 = settings }
        request.listsFolder = true
        // libcurl does not notice that a compressed page lacks its end.
        request.decodesContent = false
        return try await Self.attempts { () throws(DownloadError) in
            let stream = try await session.bytes(for: request)
            return try await scheme.isHTTP ? page(stream, folder) : lines(stream, folder)
        }
    }

    /// The number of requests for a list whose connection breaks.
    private static let mostAttempts = 3

    /// Requests something again if the connection breaks.
    ///
    /// The session itself retries a request only until its response begins.
    private static func attempts<Value>(
        _ body: () async throws(DownloadError) -> Value
    ) async throws(DownloadError) -> Value {
        var attempts = 1
        while true {
            do throws(DownloadError) {
                return try await body()
            } catch {
                guard error.code == .network, attempts < mostAttempts else { throw error }
                attempts += 1
            }
        }
    }

    private func page(
        _ stream: DataStream,
        _ folder: ListedFolder
    ) async throws(DownloadError) -> (content: FolderContent, address: String) {
        if let coding = stream.response.value("Content-Encoding") {
            stream.cancel()
            throw DownloadError(
                .badResponse,
                "the server compressed the list (\(coding.sanitized(atMost: 40))) without being asked"
            )
        }
        let types = ["text/html", "application/xhtml+xml"]
        guard let type = stream.response.mediaType?.lowercased(), types.contains(type) else {
            stream.cancel()
            throw DownloadError(
                .badResponse,
                "the server sent no page with links, but "
                    + (stream.response.mediaType?.sanitized(atMost: 60) ?? "a file of unknown type"),
                advice: "for a single file, use 'pawl' with its URL"
            )
        }
        var reader = HTMLLinkReader()
        var found: [HTMLLink] = []
        let address = stream.response.url
        try await Self.forEachPiece(of: stream) { (bytes) throws(DownloadError) in
            reader.read(bytes) { found.append($0) }
            try Self.check(found.count)
        }
        let isComplete = reader.finish { found.append($0) }
        guard let links = FolderLinks(page: address, base: reader.base) else {
            throw DownloadError(.badResponse, "the server redirects to a URL that cannot be used")
        }
        var builder = ContentBuilder(folder)
        builder.isComplete = isComplete
        builder.mayLackSlashes = true
        for link in found {
            guard let relativePath = links.relativePath(of: link.address) else { continue }
            builder.add(relativePath, ListedFacts(note: link.note))
        }
        return (try builder.content(below: links.address), links.address)
    }

    private func lines(
        _ stream: DataStream,
        _ folder: ListedFolder
    ) async throws(DownloadError) -> (content: FolderContent, address: String) {
        var builder = ContentBuilder(folder)
        var rest: [UInt8] = []
        try await Self.forEachPiece(of: stream) { (bytes) throws(DownloadError) in
            rest += bytes
            var start = 0
            while let end = rest[start...].firstIndex(of: 0x0A) {
                Self.read(rest[start..<end], &builder)
                start = end + 1
            }
            rest.removeSubrange(..<start)
            try Self.check(builder.count)
        }
        Self.read(rest[...], &builder)
        // A complete list ends with a line break.
        if !rest.isEmpty { builder.isComplete = false }
        return (try builder.content(below: folder.address), folder.address)
    }

    /// Returns the rules of the server of a URL for programs (RFC 9309 §2.3.1): none if it has none,
    /// and none for other protocols than HTTP.
    func robots(of address: String) async throws(DownloadError) -> RobotsRules {
        var parts = AddressParts(address)
        (parts.path, parts.query, parts.fragment) = ("/robots.txt", nil, nil)
        guard URLScheme(of: parts.scheme)?.isHTTP == true, let url = parts.requestURL else {
            return .none
        }
        let request = DownloadRequest(url) { [settings] in $0 = settings }
        let text: [UInt8]
        do throws(DownloadError) {
            text = try await Self.attempts { () throws(DownloadError) in
                let stream = try await session.bytes(for: request)
                defer { stream.cancel() }
                var text: [UInt8] = []
                var iterator = stream.makeAsyncIterator()
                while text.count < RobotsRules.mostBytes, let bytes = try await iterator.next() {
                    text += bytes
                }
                return text
            }
        } catch {
            guard let status = error.httpStatus, status >= 400 else { throw error }
            // Statuses such as 429 refuse the request, not the file.
            if 400..<500 ~= status, !error.isRetryable { return .none }
            throw DownloadError(
                error.code,
                "the server's robots.txt cannot be read (HTTP \(status)), so it is not known what "
                    + "it allows",
                advice: "try again later, or \(.ignoreRobots)"
            )
        }
        return RobotsRules(text)
    }

    private static func read(_ line: ArraySlice<UInt8>, _ builder: inout ContentBuilder) {
        let line = line.last == 0x0D ? line.dropLast() : line
        guard let entry = FileListLine(line) else {
            if !FileListLine.isUnimportant(line) { builder.isComplete = false }
            return
        }
        let relativePath = entry.name.percentEncoded()
        switch entry.kind {
        case .file: builder.add(relativePath, entry.facts)
        case .folder: builder.add(relativePath + "/", nil)
        case .other: builder.leaveOut(relativePath)
        }
    }

    private static func forEachPiece(
        of stream: DataStream,
        _ read: ([UInt8]) throws(DownloadError) -> Void
    ) async throws(DownloadError) {
        var iterator = stream.makeAsyncIterator()
        var count = 0
        while let bytes = try await iterator.next() {
            count += bytes.count
            guard count <= mostBytes else { throw tooLarge("\(mostBytes) bytes") }
            try read(bytes)
        }
    }

    private static func check(_ count: Int) throws(DownloadError) {
        guard count <= mostEntries else { throw tooLarge("\(mostEntries) entries") }
    }

    private static func tooLarge(_ most: String) -> DownloadError {
        DownloadError(
            .tooLarge,
            "the list of the folder has more than \(most)",
            advice: "mirror the folders below it one by one"
        )
    }
}
