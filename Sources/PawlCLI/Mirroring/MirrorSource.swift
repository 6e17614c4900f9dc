internal import Pawl
internal import PawlCore
internal import struct FoundationEssentials.URL

/// What is mirrored.
enum MirrorSource: Sendable {
    /// A folder of a server, with the settings of all requests.
    case tree(ListedFolder, DownloadSettings)
    case bucket(MirroredBucket)
    /// The files of a list, and where it was read.
    case list(String, [ListedDownload])

    /// A file of a list with its settings.
    struct ListedDownload: Sendable {
        let file: ListedFile
        var download: RequestedDownload
    }

    /// Returns the source with the answers of the user about its SSH servers.
    func settled(_ console: Console) async throws(DownloadError) -> MirrorSource {
        switch self {
        case .tree(let root, var settings):
            // The server shows its key before it reports that there is no such file.
            if let url = URL(string: root.address + "pawl") {
                let answers = try await SSHPrompt.answers(for: url, settings, console)
                answers.apply(to: &settings.connection)
            }
            return .tree(root, settings)
        case .list(let name, var files):
            let downloads = try await SSHPrompt.settled(files.map(\.download), console)
            for (index, download) in downloads.enumerated() { files[index].download = download }
            return .list(name, files)
        case .bucket: return self
        }
    }

    /// What is mirrored, without secrets.
    var root: String {
        switch self {
        case .tree(let folder, _): AddressParts(folder.address).redacted.sanitized(atMost: 300)
        case .bucket(let bucket): bucket.request.url.redacted
        case .list(let name, _):
            "the list \(AddressParts(name).redacted.sanitized(atMost: 300))"
        }
    }

    /// Distinguishes it from everything else that may be mirrored.
    var key: String {
        switch self {
        case .tree(let folder, _): MirrorRecord.source(Self.identity(folder.address))
        case .bucket(let bucket):
            MirrorRecord.source(Self.identity(bucket.request.url.absoluteString))
        case .list(let name, _):
            MirrorRecord.source(
                "list "
                    + (URLScheme(of: AddressParts(name).scheme) == nil ? name : Self.identity(name))
            )
        }
    }

    /// The part of a URL that distinguishes a tree: a query may be a token that expires.
    private static func identity(_ address: String) -> String {
        var parts = AddressParts(address)
        (parts.query, parts.fragment) = (nil, nil)
        parts.scheme = parts.scheme?.lowercased()
        parts.host = parts.host?.lowercased()
        parts.path = parts.path.asFolderPath
        return parts.requestText
    }

    /// Returns a function that returns the settings for a file.
    var settings: @Sendable (ListedFile) -> DownloadSettings {
        switch self {
        case .tree(_, let settings): return { _ in settings }
        case .bucket(let bucket): return { _ in bucket.settings }
        case .list(_, let files):
            let byPath = Dictionary(
                files.map { (ExactText($0.file.path), $0.download.settings) }
            ) {
                one,
                _ in
                one
            }
            return { byPath[ExactText($0.path)] ?? DownloadSettings() }
        }
    }
}

/// The objects of a bucket below a prefix.
struct MirroredBucket: Sendable {
    let listing: S3Listing
    /// The request for a page of the list, whose URL is still missing.
    let request: DownloadRequest
    let settings: DownloadSettings

    /// Passes on the objects page by page.
    func walk(
        _ session: DownloadSession,
        _ mirror: TreeMirror,
        _ choices: MirrorChoices
    ) async {
        var reader = BucketReader(listing, request)
        do throws(DownloadError) {
            while let objects = try await reader.nextPage(in: session) {
                let files = objects.filter { choices.concern($0.path) }.map { object in
                    ListedFile(
                        address: object.address,
                        path: object.path,
                        facts: ListedFacts(exact: object.facts)
                    )
                }
                mirror.listed(
                    FolderContent(),
                    of: ListedFolder(address: request.url.absoluteString)
                )
                await TreeWalk.take(files, mirror)
            }
        } catch {
            mirror.failed(ListedFolder(address: request.url.absoluteString), error)
        }
    }
}
