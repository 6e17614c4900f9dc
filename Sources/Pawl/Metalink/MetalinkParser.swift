internal import PawlCore
internal import struct FoundationEssentials.URL

/// Collects the files of a Metalink document from the parts of its XML.
///
/// What it does not know is left out, as both versions of the format demand.
struct MetalinkParser {
    private enum Version { case three, four }

    /// The digests of pieces of one algorithm, as they are read.
    private struct Pieces {
        let algorithm: DigestAlgorithm?
        let length: Int64?
        var digests: [String] = []
    }

    /// The number of files and of sources that are read; more are of no use.
    private static let mostFiles = 10_000
    private static let mostSources = 1_000

    private let name: String
    private let code: ErrorCode
    private var version: Version?
    private var path: [XMLElement] = []
    private var files: [Metalink.File] = []
    private var file: Metalink.File?
    private var pieces: Pieces?

    init(name: String, code: ErrorCode) { (self.name, self.code) = (name, code) }

    mutating func take(_ event: XMLEvent) throws(DownloadError) {
        switch event {
        case .start(let element):
            if path.isEmpty { try begin(element) }
            let isKnown = isKnown(element)
            path.append(element)
            if isKnown { started(element) }
        case .end(_, let text):
            guard let element = path.popLast(), isKnown(element) else { return }
            try ended(element, text.trimmed)
        }
    }

    /// Whether an element is one of the format, in its place: a publisher and a licence have URLs,
    /// too.
    private func isKnown(_ element: XMLElement) -> Bool {
        guard let parent = path.last?.name, let root = path.first?.name,
            element.name.namespace == root.namespace, parent.namespace == root.namespace
        else { return false }
        let details = version == .three ? "verification" : "file"
        return switch element.name.local {
        case "file": parent.local == (version == .three ? "files" : "metalink")
        case "size": parent.local == "file"
        case "url": parent.local == (version == .three ? "resources" : "file")
        case "hash": parent.local == details || parent.local == "pieces"
        case "pieces", "signature": parent.local == details
        default: false
        }
    }

    func finish() throws(DownloadError) -> [Metalink.File] {
        guard !files.isEmpty else {
            throw failure("it describes no file", "use a Metalink that describes at least one")
        }
        return files
    }

    private mutating func begin(_ root: XMLElement) throws(DownloadError) {
        version =
            switch root.name {
            case XMLName("metalink", namespace: "urn:ietf:params:xml:ns:metalink"): .four
            case XMLName("metalink", namespace: "http://www.metalinker.org/"): .three
            default: nil
            }
        guard version != nil else {
            throw failure(
                "it is not a Metalink: its root element is "
                    + "'\(root.name.local.sanitized(atMost: 40))'",
                "use a Metalink of version 3 or 4"
            )
        }
    }

    private mutating func started(_ element: XMLElement) {
        switch element.name.local {
        case "file" where file == nil:
            file = Metalink.File(name: element.attributes["name"] ?? "")
        case "pieces" where file != nil:
            pieces = Pieces(
                algorithm: element.attributes["type"].flatMap { DigestAlgorithm(named: $0) },
                length: element.attributes["length"].flatMap { Int64($0) }
            )
        default: break
        }
    }

    private mutating func ended(_ element: XMLElement, _ text: String) throws(DownloadError) {
        guard file != nil else { return }
        switch element.name.local {
        case "file": try finishFile()
        case "size": file?.size = Int64(text).flatMap { $0 >= 0 ? $0 : nil }
        case "hash":
            if pieces != nil {
                pieces?.digests.append(text)
            } else {
                note(element.attributes["type"], text)
            }
        case "pieces": finishPieces()
        case "url": note(element, url: text)
        case "signature": note(element, signature: text)
        default: break
        }
    }

    private mutating func note(_ algorithm: String?, _ text: String) {
        guard let algorithm = algorithm.flatMap({ DigestAlgorithm(named: $0) }),
            let digest = ContentDigest(algorithm, hexadecimal: text),
            digest.algorithm.isStronger(than: file?.digest?.algorithm)
        else { return }
        file?.digest = digest
    }

    private mutating func finishPieces() {
        defer { pieces = nil }
        guard let pieces, let algorithm = pieces.algorithm, let length = pieces.length,
            algorithm.isStronger(than: file?.pieces?.algorithm)
        else { return }
        let digests = pieces.digests.compactMap { ContentDigest(algorithm, hexadecimal: $0) }
        guard digests.count == pieces.digests.count else { return }
        guard
            let read = PieceDigests(algorithm, length: length, bytes: digests.flatMap(\.bytes))
        else { return }
        file?.pieces = read
    }

    /// Takes the URL of a server; those of torrents and of other protocols are left out.
    private mutating func note(_ element: XMLElement, url text: String) {
        let attributes = element.attributes
        // In version 3, the URL of a torrent differs from that of the file in its type only.
        let type = version == .three ? attributes["type"]?.lowercased() : nil
        guard ["http", "https", "ftp", "ftps"].contains(type ?? "http"),
            file?.sources.count ?? 0 < Self.mostSources,
            let scheme = (try? SourceURL.parse(text)).flatMap({ URLScheme(of: $0.url.scheme) }),
            [.http, .https, .ftp, .ftpes, .ftps].contains(scheme)
        else { return }
        let priority =
            switch version {
            case .three:
                attributes["preference"].flatMap { Int($0) }.map { 101 - min(100, max(0, $0)) }
            default: attributes["priority"].flatMap { Int($0) }.map { max(1, $0) }
            }
        file?.sources.append(
            Metalink.FileSource(
                url: text,
                priority: min(priority ?? Metalink.lowestPriority, Metalink.lowestPriority),
                country: attributes["location"]?.lowercased()
            )
        )
    }

    private mutating func note(_ element: XMLElement, signature text: String) {
        let said = element.attributes["mediatype"] ?? element.attributes["type"]
        guard let said, !text.isEmpty, file?.signatures.count ?? 0 < 4 else { return }
        let type = said == "pgp" ? "application/pgp-signature" : said
        file?.signatures.append(Metalink.Signature(mediaType: type, text: text))
    }

    private mutating func finishFile() throws(DownloadError) {
        guard let file else { return }
        self.file = nil
        guard FileName.isHarmlessPath(file.name) else {
            throw failure(
                "'\(file.name.sanitized(atMost: 100))' is not an allowed file name",
                "download the file from one of its URLs, and choose a name"
            )
        }
        guard files.count < Self.mostFiles else {
            throw failure("it describes more than \(Self.mostFiles) files", "split it")
        }
        files.append(file)
    }

    private func failure(_ reason: String, _ advice: Advice) -> DownloadError {
        DownloadError(code, "\(name) cannot be used: \(reason)", advice: advice)
    }
}

extension DigestAlgorithm {
    /// Whether a digest of this algorithm is to be preferred to one of another.
    ///
    /// Those that detect attacks come first, and among them the usual ones, which processors
    /// compute fastest.
    fileprivate func isStronger(than other: DigestAlgorithm?) -> Bool {
        guard let other else { return true }
        let order: [DigestAlgorithm] = [
            .sha256, .sha512, .sha384, .sha3_256, .sha3_512, .blake2b, .sha1, .md5, .crc32c,
        ]
        guard let own = order.firstIndex(of: self), let its = order.firstIndex(of: other) else {
            return false
        }
        return own < its
    }
}
