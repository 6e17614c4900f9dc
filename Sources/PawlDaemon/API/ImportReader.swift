internal import FoundationEssentials
internal import PawlCore
internal import PawlWire

/// Reads the lines of an import, and makes parts of them.
///
/// A line is a download as an object, or the URL of a download that is otherwise like the last
/// object. Each such download is stored with a copy of the object, so that a large object can have no
/// URLs below it. Empty lines are counted, and add nothing.
struct ImportReader {
    private let rules: AdditionRules
    private let authority: Authority
    private var text = BoundedLines(mostBytes: RequestBody.mostBytes)
    /// The last object; a failure if it is not valid, or if there is none.
    private var template: Result<NewDownload, DownloadError>
    /// The last object after all checks; `nil` if it was refused.
    private var prepared: DownloadAdder.Prepared?
    private var lines: [ImportPart.Line] = []
    /// The number of the first line of the part.
    private var first: Int64
    /// The number of the next line.
    private var next: Int64
    /// The number of bytes that are kept of the lines of the part.
    ///
    /// It is the same for a download as an object and as a URL alone, so that a client that continues
    /// sends the same parts.
    private var byteCount = 0

    /// The maximum number of lines of a part.
    static let mostLines: Int64 = 5000
    /// The number of bytes after which a part ends.
    static let mostBytes = 2 << 20

    /// Creates a reader for lines that begin with a number.
    init(_ rules: AdditionRules, by authority: Authority, from line: Int64) {
        (self.rules, self.authority) = (rules, authority)
        (first, next) = (line, line)
        template = .failure(
            .usage(
                "no object is above this URL",
                advice: "send a download as an object before URLs alone"
            )
        )
    }

    mutating func append(_ more: [UInt8]) { text.append(more) }

    /// Returns the next part that is full; `nil` if more bytes are needed.
    ///
    /// - Throws: `.notAllowed` for a line that the sender may not add.
    mutating func nextPart() throws(DownloadError) -> ImportPart? {
        while let line = text.next() {
            try read(line)
            if next - first >= Self.mostLines || byteCount >= Self.mostBytes { return takePart() }
        }
        return nil
    }

    /// Returns what is left at the end of the body; `nil` if nothing is.
    mutating func lastPart() throws(DownloadError) -> ImportPart? {
        if let line = text.last() { try read(line) }
        return next > first ? takePart() : nil
    }

    private mutating func takePart() -> ImportPart {
        defer { (lines, first, byteCount) = ([], next, 0) }
        return ImportPart(range: first...(next - 1), lines: lines)
    }

    private mutating func read(_ line: BoundedLines.Line) throws(DownloadError) {
        let number = next
        next += 1
        guard case .text(let bytes) = line else {
            let refused = try checked(.failure(Self.tooLong), number, isObject: false)
            return lines.append(refused)
        }
        let text = Self.trimmed(bytes)
        guard let start = text.first else { return }
        let isObject = start != UInt8(ascii: "\"")
        if isObject {
            prepared = nil
            do throws(DownloadError) {
                let new = try RequestBody.decode(NewDownload.self, from: text, Self.name)
                template = .success(new)
            } catch {
                template = .failure(error)
            }
        }
        let found = isObject ? template : download(text)
        let read = try checked(found, number, isObject: isObject)
        lines.append(read)
        byteCount += read.contents.count + (read.download?.byteCount ?? text.count)
        if isObject, text.count > WireImport.mostTemplateBytes {
            (prepared, template) = (nil, .failure(Self.largeTemplate))
        }
    }

    private static func trimmed(_ line: [UInt8]) -> [UInt8] {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 || byte == 0x0D }
        guard let first = line.firstIndex(where: { !isBlank($0) }),
            let last = line.lastIndex(where: { !isBlank($0) })
        else { return [] }
        return first == 0 && last == line.count - 1 ? line : Array(line[first...last])
    }

    /// Returns the download of a line with a URL alone.
    private func download(_ text: [UInt8]) -> Result<NewDownload, DownloadError> {
        do throws(DownloadError) {
            var download = try template.get()
            download.url = try Self.string(text)
            return .success(download)
        } catch {
            return .failure(error)
        }
    }

    /// Returns the text of a JSON string.
    private static func string(_ json: [UInt8]) throws(DownloadError) -> String {
        let inner = json.dropFirst().dropLast()
        let isPlain =
            json.count > 1 && json.last == UInt8(ascii: "\"")
            && inner.allSatisfy { $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C }
        if isPlain, let text = String(validating: inner, as: UTF8.self) { return text }
        try RequestBody.check(json, name)
        return try WireJSON.decode(String.self, from: json)
    }

    private mutating func checked(
        _ found: Result<NewDownload, DownloadError>,
        _ number: Int64,
        isObject: Bool
    ) throws(DownloadError) -> ImportPart.Line {
        let result: Result<DownloadAdder.Prepared, DownloadError>
        do throws(DownloadError) {
            result = .success(try prepare(try found.get(), isObject: isObject))
        } catch {
            // It is no mistake of the list: the sender may not add this.
            guard error.code != .notAllowed else {
                var error = error
                error.context = "reading line \(number) of the list"
                throw error
            }
            result = .failure(error)
        }
        return ImportPart.Line(
            number: number,
            result: result,
            contents: Self.contents(try? found.get())
        )
    }

    private mutating func prepare(
        _ new: NewDownload,
        isObject: Bool
    ) throws(DownloadError) -> DownloadAdder.Prepared {
        // URLs of other kinds may need other rights, such as that to read files.
        if !isObject, let prepared, Self.isHTTP(new.url) { return try prepared.with(url: new.url) }
        var checked = new
        for admitted in try rules.admitted([new], by: authority) { checked = admitted }
        let result = try DownloadAdder.Prepared(checked, of: authority.owner ?? .user, at: Date())
        if isObject { prepared = result }
        return result
    }

    private static func isHTTP(_ url: String) -> Bool {
        url.utf8.starts(with: "http://".utf8) || url.utf8.starts(with: "https://".utf8)
    }

    private static func contents(_ new: NewDownload?) -> [UInt8] {
        guard let new else { return [] }
        return Array("\(AddressParts(new.url).redacted)\n\(new.destination)\n".utf8)
    }

    private static let name = "the line"

    private static let largeTemplate = DownloadError(
        .tooLarge,
        "the object above this URL has more than \(WireImport.mostTemplateBytes) bytes",
        advice: "send this download as an object"
    )

    private static let tooLong = DownloadError(
        .tooLarge,
        "the line has more than \(RequestBody.mostBytes) bytes",
        advice: "leave it out"
    )
}
