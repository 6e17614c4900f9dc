internal import Pawl
internal import PawlCore
internal import struct FoundationEssentials.URL

/// A list on a server, which is trusted less than one of the user's files.
enum RemoteList {
    /// The options that it can contain: none of them reads a file or leads to another folder.
    private static let options: Set = [
        "output", "mirror", "checksum", "header", "user-agent", "referer", "connections", "range",
        "size", "pieces",
    ]

    /// The options that would be sent to whatever server the list names.
    private static let secrets: Set = [
        "header", "header-file", "user", "bearer", "data", "json", "cert", "key", "key-password",
    ]

    /// Runs `next` with all lists that are named: at once for files, and after they were fetched for
    /// URLs.
    ///
    /// `options`: those of the downloads, whose proxy and certificates are also used for the lists,
    /// as are those of the config file.
    static func read(
        _ input: InputChoice,
        _ options: [OptionAssignment],
        _ config: UserConfig,
        _ console: Console,
        then next: @escaping @Sendable (InputList?) throws(DownloadError) -> VerbWork
    ) throws(DownloadError) -> VerbWork {
        var list: InputList?
        for path in input.lists where !isURL(path) {
            guard let content = input.content else {
                list.append(try InputFile.read(path, input.reading))
                continue
            }
            let name = InputFile.name(path).sanitized
            list.append(try InputList(bytes: content, name: name, input.reading))
        }
        let remote = input.lists.filter(isURL)
        guard !remote.isEmpty else { return try next(list) }
        let given = config.common + options
        if let secret = given.first(where: isForOneServer) {
            throw .usage(
                "\(secret.location) and a list from a server cannot be combined",
                advice:
                    "the servers in the list would receive it; download the list, check it, and "
                    + "give its file"
            )
        }
        var requests: [DownloadRequest] = []
        for path in remote { requests.append(try request(path, options, config)) }
        var reading = input.reading
        reading.isFromServer = true
        return console.work { [list, requests, reading] () throws(DownloadError) in
            var list = list
            for request in requests { list.append(try await fetch(request, reading)) }
            return try next(list)
        }
    }

    private static func request(
        _ path: String,
        _ options: [OptionAssignment],
        _ config: UserConfig
    ) throws(DownloadError) -> DownloadRequest {
        let (url, credentials) = try SourceURL.read(path, at: "--input-file")
        var common = try CommonOptions(
            typed: options,
            config: config.withoutSecrets,
            netrcFile: NetrcFile.usual
        )
        var settings = DownloadSettings()
        settings.reach(like: try common.options(for: path).settings)
        // It is meant for the servers of the downloads.
        settings.connection.forgetIdentity()
        settings.credentials = credentials
        return DownloadRequest(url) { [settings] in $0 = settings }
    }

    /// Whether an option would show the servers of the list a secret, or who the user is.
    static func isForOneServer(_ option: OptionAssignment) -> Bool {
        secrets.contains(option.name) && option.mayBeSecret
            || option.name == "auth"
                && option.value.lowercased() == AuthenticationScheme.negotiate.rawValue
    }

    static func isURL(_ path: String) -> Bool {
        let start = path.prefix(8).lowercased()
        return start.hasPrefix("http://") || start == "https://"
    }

    private static func fetch(
        _ request: DownloadRequest,
        _ reading: InputList.Reading
    ) async throws(DownloadError) -> InputList {
        var configuration = SessionConfiguration.default
        configuration.removesLeftovers = false
        let session = DownloadSession(configuration)
        let bytes = try await session.data(for: request).bytes
        let list = try InputList(bytes: bytes, name: request.url.redacted, reading)
        for entry in list.entries { try check(entry) }
        return list
    }

    private static func check(_ entry: InputList.Entry) throws(DownloadError) {
        let urls = [entry.url] + entry.options.filter { $0.name == "mirror" }.map(\.value)
        for url in urls {
            guard let scheme = URLScheme(of: AddressParts(url).scheme), !scheme.isHTTP,
                scheme != .data
            else { continue }
            throw .usage(
                "\(entry.location): a list from a server can only name HTTP URLs",
                advice: "download the list, check it, and give its file"
            )
        }
        for option in entry.options {
            guard options.contains(option.name) else {
                throw .usage(
                    "\(option.location): a list from a server cannot contain this option",
                    advice: "download the list, check it, and give its file"
                )
            }
            guard option.name != "output" || FileName.isHarmlessPath(option.value) else {
                throw .usage(
                    "\(option.location): a list from a server cannot choose this file name",
                    advice: "download the list, correct it, and give its file"
                )
            }
        }
    }
}

extension InputList? {
    fileprivate mutating func append(_ other: InputList) {
        if self == nil { self = other } else { self?.append(other) }
    }
}

extension DownloadSettings {
    /// Takes over how servers are reached, and for how long that is tried.
    mutating func reach(like other: DownloadSettings) {
        connection = other.connection
        (retries, maximumRetryAfter) = (other.retries, other.maximumRetryAfter)
        stallTimeout = other.stallTimeout
        maximumRedirects = other.maximumRedirects
    }
}
