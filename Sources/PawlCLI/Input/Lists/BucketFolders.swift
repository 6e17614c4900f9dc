internal import Pawl
internal import PawlCore

/// The folders of buckets that a command names, such as `s3://bucket/folder/`: each stands for all
/// objects below.
enum BucketFolders {
    /// The most objects of a command.
    private static let mostObjects = 1_000_000

    /// Runs `next` with the URLs that are not folders, and the list with the objects of the
    /// folders: at once if there is no folder, and after the objects were listed otherwise.
    static func read(
        _ urls: [String],
        _ list: InputList?,
        _ options: [OptionAssignment],
        _ config: UserConfig,
        _ console: Console,
        then next:
            @escaping @Sendable (_ urls: [String], InputList?) throws(DownloadError) -> VerbWork
    ) throws(DownloadError) -> VerbWork {
        var (files, folders): ([String], [String]) = ([], [])
        for url in urls {
            let all = try URLPattern.expand(url)
            let named = all.filter(isFolder)
            folders += named
            // Patterns of files are expanded later.
            files += named.isEmpty ? [url] : all.filter { !isFolder($0) }
        }
        guard !folders.isEmpty else { return try next(urls, list) }
        if let output = options.first(where: { $0.name == "output" }) {
            throw .usage(
                "\(output.location) and a folder of a bucket cannot be combined",
                advice: "use --directory"
            )
        }
        var common = try CommonOptions(
            typed: options,
            config: config,
            netrcFile: NetrcFile.usual
        )
        var requests: [(DownloadRequest, S3Listing, user: String)] = []
        for folder in folders { requests.append(try request(folder, &common)) }
        return console.work { [files, requests] () throws(DownloadError) in
            var list = list ?? InputList(entries: [])
            var names = TreeNames()
            for (request, listing, user) in requests {
                let entries = try await objects(of: listing, request, user, &names)
                list.add(entries)
            }
            return try next(files, list)
        }
    }

    private static func isFolder(_ url: String) -> Bool {
        let parts = AddressParts(url.trimmed)
        return URLScheme(of: parts.scheme) == .s3 && parts.path.isFolderPath
            && parts.query == nil
    }

    private static func request(
        _ folder: String,
        _ common: inout CommonOptions
    ) throws(DownloadError) -> (DownloadRequest, S3Listing, user: String) {
        let parts = AddressParts(folder.trimmed)
        guard let url = parts.requestURL, let listing = S3Listing(below: url) else {
            throw .usage(
                "'\(parts.redacted)' does not name a folder of a bucket",
                advice: "write it as s3://bucket/folder/"
            )
        }
        let options = try common.options(for: folder)
        guard options.missingPassword == nil || parts.userInfo != nil else {
            throw .usage(
                "the secret of the access key is missing",
                advice: "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or use a profile"
            )
        }
        let settings = options.settings
        let user = parts.userInfo.map { $0 + "@" } ?? ""
        // The query makes it the URL of a list, which has no folder.
        let (_, credentials) = try SourceURL.read("s3://\(user)\(parts.host ?? "")/?list-type=2")
        let request = DownloadRequest(url) { given in
            given.reach(like: settings)
            given.credentials = credentials ?? settings.credentials
            given.fields = settings.fields
        }
        return (request, listing, user)
    }

    private static func objects(
        of listing: S3Listing,
        _ request: DownloadRequest,
        _ user: String,
        _ names: inout TreeNames
    ) async throws(DownloadError) -> [InputList.Entry] {
        var configuration = SessionConfiguration.default
        configuration.removesLeftovers = false
        let session = DownloadSession(configuration)
        let location = request.url.redacted
        var reader = BucketReader(listing, request, names: names)
        defer { names = reader.names }
        var entries: [InputList.Entry] = []
        while let objects = try await reader.nextPage(in: session) {
            for object in objects {
                // The user's name and password belong to all objects.
                let url = "s3://\(user)" + object.address.dropFirst("s3://".count)
                var entry = InputList.Entry(url: url, location: location)
                try entry.add("output", object.path)
                entries.append(entry)
            }
            guard entries.count <= mostObjects else {
                throw DownloadError(
                    .tooLarge,
                    "\(location) contains more than \(mostObjects) objects",
                    advice: "download a smaller folder"
                )
            }
        }
        guard !entries.isEmpty else {
            throw DownloadError(
                .notFound,
                "\(location) contains no object",
                advice:
                    "check the name of the folder; for a single object, leave out the last slash"
            )
        }
        return entries
    }
}
