package import struct FoundationEssentials.URL
internal import PawlCore

extension TargetResponse {
    /// Returns the name that the response and the URL of the download suggest.
    package func suggestedName(of url: URL) -> String {
        FileName.suggested(
            contentDisposition: head["Content-Disposition"],
            url: TargetResolver.namingURL(original: url, final: head.url),
            mediaType: head["Content-Type"]
        )
    }
}
