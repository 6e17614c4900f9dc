internal import struct FoundationEssentials.URL
internal import PawlCore
internal import PawlEngine

/// A URL and settings that were checked before anything is changed.
struct CheckedRequest: Sendable {
    let url: URL
    let mirrors: [Mirror]
    let settings: DownloadSettings

    /// `mayBeFolder`: whether the URL may be that of a folder that is listed.
    init(
        _ url: URL,
        _ settings: DownloadSettings,
        mayBeFolder: Bool = false
    ) throws(DownloadError) {
        let (address, credentials) = try SourceURL.parse(
            url.absoluteString,
            known: url,
            mayBeFolder: mayBeFolder
        )
        guard !settings.adoptsPartialFile || settings.checksum.isGiven else {
            throw .usage(
                "adopting another tool's partial file requires a checksum, which verifies it",
                advice: "set the digest that the file must have"
            )
        }
        try settings.connection.checkPinnedKeys()
        var settings = settings
        settings.credentials = settings.credentials ?? credentials
        self.url = address
        mirrors = try Self.mirrors(of: address, settings.mirrors)
        self.settings = settings
    }

    private static func mirrors(of url: URL, _ given: [URL]) throws(DownloadError) -> [Mirror] {
        guard given.count <= DownloadSettings.mostMirrors else {
            throw .usage(
                "\(given.count) mirrors are too many",
                advice: "give at most \(DownloadSettings.mostMirrors)"
            )
        }
        var seen: Set = [url]
        var mirrors: [Mirror] = []
        for address in given {
            let (mirror, credentials) = try SourceURL.parse(address.absoluteString)
            guard seen.insert(mirror).inserted else { continue }
            mirrors.append(Mirror(url: mirror, credentials: credentials))
        }
        return mirrors
    }
}
