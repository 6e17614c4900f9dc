internal import struct FoundationEssentials.URL

/// What `URLSession` of Apple's systems gives as resume data: a property list, or a keyed archive of
/// one (since iOS 12).
///
/// The form is not documented; it was learned from what is in the field. Two faults of it do no harm
/// here. The archived requests of iOS 10.0 and 10.1 name their parts in another way than is read
/// there: only URLs are looked for, whatever their names. iOS 11.0 to 11.2 leave a byte range of an
/// earlier resume (`NSURLSessionResumeByteRange`), after which the file has 0 bytes: it is not read,
/// the number of bytes received is.
struct AppleResumeData: Hashable {
    var url: URL
    var hadCredentials: Bool
    var entityTag: EntityTag?
    var lastModified: String?
    var receivedBytes: Int64
    /// A path (iOS 8, Safari) or a bare name in the temporary folder.
    var temporaryFile: String?

    init(_ bytes: [UInt8]) throws(MalformedBytes) {
        let list = try PropertyList(bytes)
        let fields = try Fields(list)
        receivedBytes = try fields.integer("NSURLSessionResumeBytesReceived") ?? 0
        guard receivedBytes >= 0 else { throw MalformedBytes(what: "a negative number of bytes") }
        entityTag = fields.text("NSURLSessionResumeEntityTag").flatMap(EntityTag.init(lenient:))
        lastModified = fields.date("NSURLSessionResumeServerDownloadDate")
        temporaryFile =
            fields.text("NSURLSessionResumeInfoLocalPath")
            ?? fields.text("NSURLSessionResumeInfoTempFileName")
        // The original first: it is asked again where a redirect has led to one that expires.
        let candidates =
            fields.requestURLs("NSURLSessionResumeOriginalRequest")
            + [fields.text("NSURLSessionDownloadURL")].compactMap { $0 }
            + fields.requestURLs("NSURLSessionResumeCurrentRequest")
        guard let found = candidates.lazy.compactMap({ try? SourceURL.parse($0) }).first else {
            throw MalformedBytes(what: "no URL in them that can be fetched")
        }
        url = found.url
        hadCredentials = found.credentials != nil
    }
}

/// The entries, whichever form they came in.
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
                throw MalformedBytes(what: "a number that is too large")
            }
            return exact
        default: return nil
        }
    }

    /// A date as HTTP writes it; what is none could never be compared.
    func date(_ key: String) -> String? {
        if case .date(let seconds)? = entries[key] {
            // Between the years 1970 and 2100: no other file was downloaded.
            let sinceEpoch = seconds.rounded() + 978_307_200
            guard (0..<4_102_444_800).contains(sinceEpoch) else { return nil }
            return HTTPDate(secondsSince1970: Int64(sinceEpoch)).text
        }
        return text(key).map(\.trimmed).flatMap { HTTPDate(parsing: $0) == nil ? nil : $0 }
    }

    /// The URLs in an archived request, the likeliest first.
    func requestURLs(_ key: String) -> [String] {
        // A request that cannot be read has no URL to offer; there are others.
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

    /// By their numbers: the first URL is the request's, the main document's comes later.
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
    /// Imports what `cancel(byProducingResumeData:)` of Apple's `URLSession` gave: the property list
    /// or the keyed archive, also with the faults of iOS 10.0 and 11.0.
    ///
    /// What is taken is the URL, the validators and how many bytes there are. The temporary file
    /// must be given when the download goes on (``partialPath`` has its name); its bytes are joined
    /// with the server's only if that has a strong entity tag and still sends the same one. A date
    /// alone is no proof, as nothing tells how old it was.
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
                "these are no resume data of Apple's: \(error.what)",
                advice: "start the download anew"
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
