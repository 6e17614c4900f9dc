internal import PawlCore
internal import struct FoundationEssentials.URL

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

/// The URL as it may be shown: without what may be a secret.
func shownSource(_ url: URL) -> String { url.redacted }
