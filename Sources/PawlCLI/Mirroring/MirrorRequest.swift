internal import Pawl
internal import PawlCore
internal import struct FoundationEssentials.URL

/// Finds out what a command wants to mirror.
struct MirrorRequest: Sendable {
    let options: [OptionAssignment]
    let config: UserConfig
    let console: Console

    /// Returns the source for the URL of a folder.
    func source(_ text: String) throws(DownloadError) -> MirrorSource {
        var parts = AddressParts(text.trimmed)
        if let scheme = URLScheme(of: parts.scheme) {
            guard !scheme.isLocal else {
                throw .usage(
                    "\(scheme.rawValue): URLs cannot be mirrored",
                    advice: "copy the folder with cp"
                )
            }
            // Only HTTP has paths that may name either.
            if !scheme.isHTTP { parts.path = parts.path.asFolderPath }
        }
        let address = parts.text
        let (url, credentials) = try SourceURL.parse(address, mayBeFolder: true)
        var settings = try settings(for: address)
        settings.credentials = credentials ?? settings.credentials
        guard URLScheme(of: url.scheme) == .s3 else {
            return .tree(ListedFolder(address: url.absoluteString), settings)
        }
        guard let listing = S3Listing(below: url) else {
            throw .usage(
                "'\(parts.redacted)' does not name a folder of a bucket",
                advice: "write it as s3://bucket/folder/"
            )
        }
        let request = DownloadRequest(url) { [settings] in $0 = settings }
        return .bucket(
            MirroredBucket(listing: listing, request: request, settings: settings)
        )
    }

    private func settings(for address: String) throws(DownloadError) -> DownloadSettings {
        var common = try CommonOptions(
            typed: options,
            config: config,
            netrcFile: NetrcFile.usual
        )
        let given = try common.options(for: address)
        var settings = given.settings
        if let missing = given.missingPassword, AddressParts(address).userInfo == nil {
            settings.credentials?.password = try missing.read(console)
        }
        try LockedKey.unlock(&settings, console)
        if let profile = settings.connection.browserProfile { try profile.checkCookies() }
        return Self.mirroring(settings)
    }

    /// Returns the settings for the files of a mirror: they have the server's times, from which the
    /// next run, or another tool, sees what has changed.
    private static func mirroring(_ settings: DownloadSettings) -> DownloadSettings {
        var settings = settings
        settings.keepsServerTime = true
        return settings
    }

    // MARK: - Lists

    /// Returns the source for the files of a list.
    ///
    /// `name`: where it was read.
    func source(of list: InputList, name: String) throws(DownloadError) -> MirrorSource {
        let batch = try DownloadBatch.asked(
            urls: [],
            list: list,
            options: options,
            config: config,
            console
        )
        var names = TreeNames()
        var files: [MirrorSource.ListedDownload] = []
        for var download in batch.downloads {
            download.keepServerTime()
            let path = try Self.path(of: download, &names)
            var file = ListedFile(address: download.url.absoluteString, path: path)
            if case .digest(let digest) = download.settings.checksum {
                file.facts = ListedFacts(exact: "\(digest)")
            }
            files.append(MirrorSource.ListedDownload(file: file, download: download))
        }
        return .list(name, files)
    }

    /// Returns the path of a file below the folder: the one that the list gives, or the name in its
    /// URL.
    private static func path(
        of download: RequestedDownload,
        _ names: inout TreeNames
    ) throws(DownloadError) -> String {
        guard !AddressParts(download.url.absoluteString).path.isFolderPath else {
            throw .usage(
                "\(download.url.redacted) is the URL of a folder",
                advice: "mirror it with a command of its own"
            )
        }
        if case .object(let url) = download.destination {
            throw .usage(
                "\(url.absoluteString) is an object, which cannot be a file of a mirror",
                advice: "in the list, write a path below the folder"
            )
        }
        guard case .file(let path) = download.destination else {
            let name = AddressParts(download.url.absoluteString).path.pathFile.percentDecoded
            guard let path = names.path(of: [name]) else {
                throw .usage(
                    "no name is left for \(download.url.redacted)",
                    advice: "write output=name below its URL in the list"
                )
            }
            return path
        }
        guard FileName.isHarmlessPath(path), names.path(of: path.pathNames.map(String.init)) == path
        else {
            throw .usage(
                "'\(path.sanitized(atMost: 200))' cannot be a file of a mirror",
                advice:
                    "in the list, write a path below the folder whose names do not begin with a dot"
            )
        }
        return path
    }
}
