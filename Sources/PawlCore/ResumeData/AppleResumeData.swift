internal import struct FoundationEssentials.URL

/// The resume data of `URLSession` on Apple's systems: a property list, or (since iOS 12) a keyed
/// archive of one.
///
/// The format is not documented; this was learned from existing data. Two faults do no harm here.
/// The archived requests of iOS 10.0 and 10.1 use other names for their parts than the reader
/// expects: here only URLs are looked for, whatever their names. iOS 11.0 to 11.2 keep the byte
/// range of an earlier resume (`NSURLSessionResumeByteRange`), after which the file has 0 bytes:
/// here the number of received bytes is read instead.
struct AppleResumeData: Hashable {
    var url: URL
    var hadCredentials: Bool
    var entityTag: EntityTag?
    var lastModified: String?
    var receivedBytes: Int64
    /// A path (iOS 8, Safari), or a file name in the temporary folder.
    var temporaryFile: String?

    init(_ bytes: [UInt8]) throws(MalformedBytes) {
        let list = try PropertyList(bytes)
        let fields = try Fields(list)
        receivedBytes = try fields.integer("NSURLSessionResumeBytesReceived") ?? 0
        guard receivedBytes >= 0 else {
            throw MalformedBytes(what: "the number of bytes is negative")
        }
        entityTag = fields.text("NSURLSessionResumeEntityTag").flatMap(EntityTag.init(lenient:))
        lastModified = fields.date("NSURLSessionResumeServerDownloadDate")
        temporaryFile =
            fields.text("NSURLSessionResumeInfoLocalPath")
            ?? fields.text("NSURLSessionResumeInfoTempFileName")
        // The original URL comes first: it is requested again if a redirect leads to one that
        // expires.
        let candidates =
            fields.requestURLs("NSURLSessionResumeOriginalRequest")
            + [fields.text("NSURLSessionDownloadURL")].compactMap { $0 }
            + fields.requestURLs("NSURLSessionResumeCurrentRequest")
        guard let found = candidates.lazy.compactMap({ try? SourceURL.parse($0) }).first else {
            throw MalformedBytes(what: "they contain no URL that can be fetched")
        }
        url = found.url
        hadCredentials = found.credentials != nil
    }
}

/// The entries, in whichever form they were stored.
private struct Fields {
    private let archive: KeyedArchive?
    private let entries: [String: PropertyList]

    init(_ list: PropertyList) throws(MalformedBytes) {
        archive = KeyedArchive(list)
        if let archive {
            guard let entries = archive.entries(archive.root) else {
                throw MalformedBytes(what: "an archive of something else")
            }
            self.entries = entries
        } else {
            guard case .dictionary(let entries) = list else {
                throw MalformedBytes(what: "a property list of something else")
            }
            self.entries = entries
        }
    }

    func text(_ key: String) -> String? {
        guard let value = entries[key] else { return nil }
        if let archive { return archive.text(value) }
        guard case .text(let text) = value else { return nil }
        return text
    }

    func integer(_ key: String) throws(MalformedBytes) -> Int64? {
        switch entries[key] {
        case .integer(let number): return number
        case .real(let number):
            guard let exact = Int64(exactly: number.rounded()) else {
                throw MalformedBytes(what: "a number is too large")
            }
            return exact
        default: return nil
        }
    }

    /// A date as HTTP writes it.
    ///
    /// An invalid one could never be compared.
    func date(_ key: String) -> String? {
        if case .date(let seconds)? = entries[key] {
            // Only dates from 1970 to 2100 are valid: no file was downloaded at other times.
            let sinceEpoch = seconds.rounded() + 978_307_200
            guard (0..<4_102_444_800).contains(sinceEpoch) else { return nil }
            return HTTPDate(secondsSince1970: Int64(sinceEpoch)).text
        }
        return text(key).map(\.trimmed).flatMap { HTTPDate(parsing: $0) == nil ? nil : $0 }
    }

    /// Returns the URLs in an archived request, the most likely first.
    func requestURLs(_ key: String) -> [String] {
        // A request that cannot be read contains no usable URL; there may be others.
        guard let bytes = data(key), let list = try? PropertyList(bytes),
            let request = KeyedArchive(list)
        else { return [] }
        let found = (properties(of: request.root).map(request.url) + request.urls)
            .compactMap { $0 }
        return found.compactMap(Self.absolute)
    }

    private func data(_ key: String) -> [UInt8]? {
        guard let value = entries[key] else { return nil }
        if let archive { return archive.data(value) }
        guard case .data(let bytes) = value else { return nil }
        return bytes
    }

    /// Returns the properties by number: the first URL is the request's, the main document's comes
    /// later.
    ///
    /// Their names are `$1` and so on, in iOS 10.0 `__nsurlrequest_proto_prop_obj_1`.
    private func properties(of request: PropertyList) -> [PropertyList] {
        guard case .dictionary(let entries) = request else { return [] }
        return entries.compactMap { name, value in
            let digits = name.reversed().prefix { $0.isASCII && $0.isNumber }.reversed()
            return Int(String(digits)).map { ($0, value) }
        }
        .sorted { $0.0 < $1.0 }
        .map(\.1)
    }

    private static func absolute(_ url: (text: String, base: String?)) -> String? {
        guard let base = url.base else { return url.text }
        return URL(string: base).flatMap { URL(string: url.text, relativeTo: $0)?.absoluteString }
    }
}

extension ResumeData {
    /// Imports the data that `cancel(byProducingResumeData:)` of Apple's `URLSession` produced: the
    /// property list or the keyed archive, including those with the faults of iOS 10.0 and 11.0.
    ///
    /// The URL, the validators and the number of bytes are imported. Supply the temporary file when
    /// the download resumes (``partialPath`` contains its name). Its bytes are joined with the
    /// server's only if they have a strong entity tag and the server still sends the same one. A
    /// date alone proves nothing, because the data does not show how old it was.
    ///
    /// - Throws: `DownloadError` with the code `.invalidResumeData`.
    public init(appleResumeData: some Sequence<UInt8>) throws(DownloadError) {
        let bytes = Array(appleResumeData.prefix(PropertyList.longest + 1))
        let apple: AppleResumeData
        do throws(MalformedBytes) {
            apple = try AppleResumeData(bytes)
        } catch {
            throw DownloadError(
                .invalidResumeData,
                "this is not Apple's resume data: \(error.what)",
                advice: "start the download again"
            )
        }
        var content = ResumeContent(url: apple.url)
        content.representation.entityTag = apple.entityTag
        content.representation.lastModified = apple.lastModified
        content.importedBytes = apple.receivedBytes
        content.partialPath = Array((apple.temporaryFile ?? "").utf8.filter { $0 != 0 })
        if apple.hadCredentials { content.omittedFields = ["Authorization"] }
        self.init(content)
    }
}
