internal import Pawl
internal import PawlCore

/// The links of web pages that the desktop hands to `pawl add`: `pawl:https://host/file`.
///
/// The daemon confines such a download like one that is added over TCP.
enum PawlLink {
    private static let scheme = "pawl:"
    /// A web page cannot choose files of the user, or sign in as the user.
    private static let schemes: Set = ["http", "https", "ftp", "ftps"]

    /// The arguments with the URLs that links contain.
    struct Arguments {
        var urls: [String] = []
        /// Whether one of them was a link.
        var hasLink = false
    }

    /// Reads arguments; those that are not links stay as they are.
    ///
    /// Throws `.usage` for a link that a web page may not give.
    static func read(_ arguments: [String]) throws(DownloadError) -> Arguments {
        var read = Arguments()
        for argument in arguments {
            guard argument.lowercased().hasPrefix(scheme) else {
                read.urls.append(argument)
                continue
            }
            let url = String(argument.dropFirst(scheme.count))
            guard let inner = AddressParts(url).scheme?.lowercased(), schemes.contains(inner),
                let parsed = try? SourceURL.parse(url), parsed.credentials == nil
            else {
                throw .usage(
                    "'\(argument.sanitized(atMost: 100))' is not a link to a download",
                    advice: "use pawl:https://host/file"
                )
            }
            // Brackets and braces of the page are not a pattern of the user.
            read.urls.append(URLPattern.literal(url))
            read.hasLink = true
        }
        return read
    }
}
