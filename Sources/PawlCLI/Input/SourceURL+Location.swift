internal import PawlCore
internal import struct FoundationEssentials.URL

extension SourceURL {
    /// Reads a URL of the command line or, at a location such as `list.txt, line 3`, of a list.
    static func read(
        _ text: String,
        at location: String? = nil
    ) throws(DownloadError) -> (URL, Credentials?) {
        do {
            return try parse(text)
        } catch {
            guard let location else { throw error }
            throw DownloadError(
                error.code,
                "\(location): \(error.message)",
                advice: error.advice.hasSuffix("?")
                    ? error.advice
                    : error.advice + "; each line is one URL, and comments start with #",
                context: error.context
            )
        }
    }
}
