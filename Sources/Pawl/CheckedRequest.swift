internal import struct FoundationEssentials.URL
internal import PawlCore

/// A URL and settings that were looked at before anything is touched.
struct CheckedRequest: Sendable {
    let url: URL
    let settings: DownloadSettings

    init(_ url: URL, _ settings: DownloadSettings) throws(DownloadError) {
        let (address, credentials) = try SourceURL.parse(url.absoluteString, known: url)
        guard !settings.adoptsPartialFile || settings.checksum.isGiven else {
            throw DownloadError(
                .usage,
                "another tool's partial file is to be adopted, without a checksum to prove it",
                advice: "set the digest that the file must have"
            )
        }
        var settings = settings
        settings.credentials = settings.credentials ?? credentials
        self.url = address
        self.settings = settings
    }
}
