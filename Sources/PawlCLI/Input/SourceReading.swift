internal import PawlCore
internal import struct FoundationEssentials.URL
internal import struct FoundationEssentials.URLComponents

/// The one place where the command reads a URL.
///
/// `place` names the list's line it stands on.
func readSource(
    _ text: String,
    place: String? = nil
) throws(DownloadError) -> (URL, Credentials?) {
    do {
        return try SourceURL.parse(text)
    } catch {
        guard let place else { throw error }
        throw DownloadError(
            error.code,
            "\(place): \(error.message)",
            advice: error.advice.hasSuffix("?")
                ? error.advice : error.advice + "; a line is one URL, and a comment begins with #",
            context: error.context
        )
    }
}

/// The URL of a mirror, which keeps its name and password: they are for no other.
func mirrorURL(_ text: String, place: String) throws(DownloadError) -> URL {
    let (url, credentials) = try readSource(text, place: place)
    guard let credentials else { return url }
    var parts = URLComponents(url: url, resolvingAgainstBaseURL: false)
    parts?.user = credentials.name
    parts?.password = credentials.password
    return parts?.url ?? url
}

/// The URL as it may be shown: without what may be a secret.
func shownSource(_ url: URL) -> String { url.redacted }
