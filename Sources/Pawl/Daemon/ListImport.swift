internal import struct FoundationEssentials.UUID
package import PawlCore
package import PawlWire

/// Imports a list of any length into the queue of a daemon, piece by piece, in constant memory.
///
/// If it ends before the end of the list, the same list continues where it has ended, within a day.
package struct ListImport: Sendable {
    private let client: DaemonClient
    /// A text that identifies the list among others.
    private let identity: String

    /// A line of the list.
    package struct Line: Sendable {
        package enum Content: Sendable {
            case download(NewDownload)
            /// The URL of a download that is otherwise like the last one before it, in UTF-8; no
            /// byte of it needs an escape in JSON.
            case url([UInt8])
        }

        package var content: Content
        /// The number of the line in the file.
        package var number: Int

        package init(_ content: Content, number: Int) {
            (self.content, self.number) = (content, number)
        }
    }

    package init(_ identity: String, to client: DaemonClient) {
        (self.identity, self.client) = (identity, client)
    }

    /// Sends the lines; starts the daemon of this machine if necessary.
    ///
    /// - Parameters:
    ///   - next: Returns the next line; `nil` at the end. The first line must be a download.
    ///   - refused: Is called for the lines that the daemon refuses, with their numbers in the file.
    /// - Returns: How far the import is; `nil` for a list without lines.
    package func run(
        _ next: () throws(DownloadError) -> Line?,
        refused: (Int, DownloadError) -> Void
    ) async throws(DownloadError) -> WireImport? {
        guard let first = try next(), case .download(let download) = first.content else {
            return nil
        }
        let lists = UnfinishedLists(client.paths)
        let text = String(decoding: try WireJSON.encode(Self.identifying(download)), as: UTF8.self)
        let name = UnfinishedLists.name(of: "\(identity)\n\(text)", for: client)
        var entry = name.map(lists.begin)
        let key = entry?.key ?? UUID().uuidString
        var state = try await client.process.starting { (client) async throws(DownloadError) in
            try await client.importLines([], from: 1, key: key)
        }
        let renew = { (newer: WireImport) in
            if newer.line > state.line, entry?.renew() == true { _ = entry.map(lists.keep) }
            state = newer
        }
        do throws(DownloadError) {
            var pieces = try Pieces(from: state.repeatFrom, template: download)
            var line: Line? = first
            while let read = line {
                if let piece = try pieces.add(read, upTo: mostBytes) {
                    renew(try await send(piece, key, refused))
                }
                line = try next()
            }
            if let piece = pieces.take() { renew(try await send(piece, key, refused)) }
        } catch {
            if error.code == .conflict, let name {
                lists.remove(name)
                throw Self.differs(state, error)
            }
            let isKept = entry.map(lists.keep) ?? false
            throw Self.stopped(state, isKept, error)
        }
        if let name { lists.remove(name) }
        return state
    }

    /// Returns what identifies the first download of a list: without secrets and times, which may
    /// differ when the same command is repeated.
    private static func identifying(_ download: NewDownload) -> NewDownload {
        var plain = download
        plain.url = AddressParts(download.url).redacted
        plain.notBefore = nil
        plain.settings = download.settings?.withoutSecrets
        plain.settings?[\.fields] = download.settings?[\.fields]?.map {
            HTTPField(name: $0.name, value: "")
        }
        plain.settings?[\.mirrors] = nil
        return plain
    }

    /// The maximum length of a request.
    private var mostBytes: Int { client.remote == nil ? 4 << 20 : RequestDivision.mostBytes }

    private func send(
        _ piece: Pieces.Piece,
        _ key: String,
        _ refused: (Int, DownloadError) -> Void
    ) async throws(DownloadError) -> WireImport {
        let answer = try await client.importLines(piece.json, from: piece.first, key: key)
        for line in answer.refusedLines {
            let place = line.line - piece.first
            guard let index = Int(exactly: place), piece.numbers.indices.contains(index) else {
                continue
            }
            refused(piece.numbers[index], line.problem.error)
        }
        return answer
    }

    /// Returns the error of an import that has ended before the end of its list.
    private static func stopped(
        _ state: WireImport,
        _ isKept: Bool,
        _ error: DownloadError
    ) -> DownloadError {
        guard state.line > 0 else { return error }
        let rest: Advice = "run the same command again: it continues there"
        let advice = error.guidance.isEmpty ? rest : "\(error.guidance); then \(rest)"
        return DownloadError(
            error.code,
            "the import has ended after \(state.added) downloads: \(error.message)",
            advice: isKept ? advice : error.guidance,
            context: error.context
        )
    }

    /// Returns the error of a list that is not the one that its key belongs to.
    private static func differs(_ state: WireImport, _ error: DownloadError) -> DownloadError {
        DownloadError(
            .conflict,
            "the list differs from the one that was begun, of which \(state.added) downloads were "
                + "added: \(error.message)",
            advice: "to add the whole list as a new one, run the same command again",
            context: error.context
        )
    }

    /// Makes requests of lines.
    private struct Pieces {
        /// The lines of a request.
        struct Piece {
            /// The number of the first line in the import.
            var first: Int64
            var json: [UInt8] = []
            /// The numbers of the lines in the file.
            var numbers: [Int] = []
        }

        /// The first line that is sent.
        private let start: Int64
        /// The last download that was not a URL alone.
        private var template: NewDownload
        /// Whether URLs alone may be below the template.
        private var allowsURLs = true
        private var piece: Piece
        /// The number of lines so far.
        private var count: Int64 = 0

        init(from start: Int64, template: NewDownload) throws(DownloadError) {
            (self.start, self.template) = (start, template)
            piece = Piece(first: start)
            allowsURLs = Self.allowsURLs(below: try WireJSON.encode(template))
        }

        private static func allowsURLs(below object: [UInt8]) -> Bool {
            // The template of a request may have another URL.
            object.count + (32 << 10) <= WireImport.mostTemplateBytes
        }

        /// Adds a line; returns the lines before it if there is no room for it.
        mutating func add(_ line: Line, upTo most: Int) throws(DownloadError) -> Piece? {
            count += 1
            var json = try self.json(of: line.content)
            guard count >= start else { return nil }
            var full: Piece?
            if !piece.json.isEmpty, piece.json.count + json.count + 1 > most { full = take() }
            if piece.json.isEmpty, case .url(let url) = line.content {
                // The daemon knows no object of another request.
                json = try object(url)
            } else if piece.json.isEmpty, case .download(let new) = line.content {
                json = try WireJSON.encode(new)
            }
            piece.json += json
            piece.json.append(UInt8(ascii: "\n"))
            piece.numbers.append(line.number)
            return full
        }

        /// Takes the lines that are left; `nil` if there are none.
        mutating func take() -> Piece? {
            guard !piece.numbers.isEmpty else { return nil }
            defer { piece = Piece(first: piece.first + Int64(piece.numbers.count)) }
            return piece
        }

        private mutating func json(
            of content: Line.Content
        ) throws(DownloadError) -> [UInt8] {
            switch content {
            case .url(let url):
                guard allowsURLs else { return try object(url) }
                var text = [UInt8(ascii: "\"")]
                text += url
                text.append(UInt8(ascii: "\""))
                return text
            case .download(let new):
                var same = template
                same.url = new.url
                template = new
                guard same != new || !allowsURLs else { return try WireJSON.encodeText(new.url) }
                let object = try WireJSON.encode(new)
                allowsURLs = Self.allowsURLs(below: object)
                return object
            }
        }

        private func object(_ url: [UInt8]) throws(DownloadError) -> [UInt8] {
            var new = template
            new.url = String(decoding: url, as: UTF8.self)
            return try WireJSON.encode(new)
        }
    }
}
