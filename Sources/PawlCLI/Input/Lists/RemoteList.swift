internal import Pawl
internal import PawlCore
internal import struct FoundationEssentials.URL

/// A list on a server, which is trusted less than one of the user's files.
enum RemoteList {
    /// The options that it can contain: none of them reads a file or leads to another folder.
    private static let options: Set = [
        "output", "mirror", "checksum", "header", "user-agent", "referer", "connections", "range",
    ]

    /// The options that would be sent to whatever server the list names.
    private static let secrets: Set = [
        "header", "header-file", "user", "bearer", "data", "json", "cert", "key", "key-password",
    ]

    /// Runs `next` with the list that `--input-file` names: at once for a file, and after the list
    /// was fetched for a URL.
    ///
    /// `options`: those of the downloads, whose proxy and certificates are also used for the list,
    /// as are those of the config file.
    static func read(
        _ path: String?,
        _ options: [OptionAssignment],
        _ config: UserConfig,
        _ console: Console,
        then next: @escaping @Sendable (InputList?) throws(DownloadError) -> VerbWork
    ) throws(DownloadError) -> VerbWork {
        guard let path else { return try next(nil) }
        guard isURL(path) else { return try next(try InputFile.read(path)) }
        let given = config.common + options
        if let secret = given.first(where: { secrets.contains($0.name) && $0.mayBeSecret }) {
            throw .usage(
                "\(secret.location) and a list from a server cannot be combined",
                advice:
                    "the servers that the list names would get it; download the list, check it, "
                    + "and give its file"
            )
        }
        let (url, credentials) = try SourceURL.read(path, at: "--input-file")
        var common = try CommonOptions(
            typed: options,
            config: config.withoutSecrets,
            netrcFile: NetrcFile.usual
        )
        var settings = DownloadSettings()
        settings.connection = try common.options(for: path).settings.connection
        // It is meant for the servers of the downloads.
        settings.connection.clientIdentity = ClientIdentity()
        settings.credentials = credentials
        let request = DownloadRequest(url) { [settings] in $0 = settings }
        return {
            do throws(DownloadError) {
                let list = try await fetch(request)
                return await (try next(list))()
            } catch {
                console.report(error)
                return error.code.exitStatus
            }
        }
    }

    private static func isURL(_ path: String) -> Bool {
        let start = path.prefix(8).lowercased()
        return start.hasPrefix("http://") || start == "https://"
    }

    private static func fetch(_ request: DownloadRequest) async throws(DownloadError) -> InputList {
        var configuration = SessionConfiguration.default
        configuration.removesLeftovers = false
        let session = DownloadSession(configuration)
        let bytes = try await session.data(for: request).bytes
        let name = request.url.redacted
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .usage("\(name) is not text in UTF-8", advice: "use a list of URLs")
        }
        var list = try InputList(text, name: name)
        list.isFromServer = true
        for entry in list.entries { try check(entry) }
        return list
    }

    private static func check(_ entry: InputList.Entry) throws(DownloadError) {
        let urls = [entry.url] + entry.options.filter { $0.name == "mirror" }.map(\.value)
        for url in urls where SourceScheme(of: AddressParts(url).scheme)?.isHTTP == false {
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
            guard option.name != "output" || isHarmless(option.value) else {
                throw .usage(
                    "\(option.location): such a list cannot name this file",
                    advice: "download the list, correct it, and give its file"
                )
            }
        }
    }

    /// Whether a path leads only to names that no program reads by itself.
    private static func isHarmless(_ path: String) -> Bool {
        guard !path.isAbsolutePath else { return false }
        return path.utf8.split(separator: UInt8(ascii: "/")).allSatisfy { part in
            let name = String(Substring(part))
            return !name.hasPrefix(".") && FileName.clean(name) == name
        }
    }
}
