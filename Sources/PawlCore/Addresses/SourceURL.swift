package import struct FoundationEssentials.URL

/// Parses a URL given by a user.
package enum SourceURL {
    /// Returns the URL without user and fragment, and the credentials that it contained.
    ///
    /// `known` is a URL that may be identical and then need not be created again. `mayBeFolder` is
    /// whether a URL of a folder is accepted, as for a list of its files.
    package static func parse(
        _ text: String,
        known: URL? = nil,
        mayBeFolder: Bool = false
    ) throws(DownloadError) -> (url: URL, credentials: Credentials?) {
        let text = text.trimmed
        guard !text.isEmpty else {
            throw .usage("the URL is empty", advice: "write it as https://host/file")
        }
        let parts = AddressParts(text)
        guard !text.holdsUnsafeToShow else {
            throw refusal(text, ": it contains control characters", "encode them as %XX")
        }
        try checkScheme(parts, text, mayBeFolder)
        try checkLocation(parts, text)
        let address = parts.requestText
        if let known, known.absoluteString == address {
            return (known, parts.userInfo.flatMap(credentials))
        }
        guard let url = URL(string: address) else { throw refusal(text) }
        return (url, parts.userInfo.flatMap(credentials))
    }

    /// Whether a URL names a file of this computer.
    package static func isOfFile(_ text: String) -> Bool {
        URLScheme(of: AddressParts(text.trimmed).scheme) == .file
    }

    private static func refusal(
        _ text: String,
        _ reason: String = "",
        _ advice: Advice = "write it as https://host/file"
    ) -> DownloadError {
        DownloadError(.usage, "'\(shown(text))' is not a URL\(reason)", advice: advice)
    }

    /// Checks the part that locates the file: the host, or the path on this computer.
    private static func checkLocation(_ parts: AddressParts, _ text: String) throws(DownloadError) {
        switch URLScheme(of: parts.scheme) {
        case .file:
            guard parts.namesThisComputer, parts.path.isAbsolutePath else {
                throw refusal(
                    text,
                    ": it names no file of this computer",
                    "write it as file:///folder/name"
                )
            }
        case .data:
            guard text.utf8.count <= DataURL.mostBytes else {
                throw refusal(
                    text,
                    ": it is longer than \(DataURL.mostBytes) bytes",
                    "save the bytes in a file instead"
                )
            }
            guard DataURL(parts) != nil else {
                throw refusal(
                    text,
                    ": it is not valid",
                    "write it as data:,text, or as data:;base64, followed by base64"
                )
            }
        default:
            guard parts.hasUsableHost else { throw refusal(text, ": it has no valid host") }
            guard parts.hasUsablePort else {
                throw refusal(
                    text,
                    ": its port is not valid",
                    "a port is a number from 1 to 65535"
                )
            }
        }
    }

    private static func checkScheme(
        _ parts: AddressParts,
        _ text: String,
        _ mayBeFolder: Bool
    ) throws(DownloadError) {
        if let known = URLScheme(of: parts.scheme) {
            guard known != .s3 || parts.port == nil else {
                throw refusal(
                    text,
                    ": a bucket has no port",
                    "name the server with \(.s3Endpoint)"
                )
            }
            // The query of a bucket asks for the list of its objects.
            let isBucket = known == .s3 && (parts.path.isEmpty || parts.path == "/")
            let isFolder = isBucket ? parts.query == nil : parts.path.isFolderPath
            guard known.isHTTP || known == .data || mayBeFolder || !isFolder else {
                throw refusal(text, ": it names a folder", "give the URL of a file")
            }
            return
        }
        let scheme = parts.scheme?.lowercased()
        let shown = shown(text)
        // `localhost:8080/file` and `user:password@host` parse as schemes, too.
        let isHost =
            parts.host == nil
            && (scheme?.contains(".") == true || parts.path.first?.isNumber == true
                || parts.path.contains("@"))
        if let scheme, !isHost {
            throw .usage(
                "'\(shown)': \(scheme.sanitized(atMost: 20)) is not supported",
                advice: "use \(URLScheme.names)"
            )
        }
        let address = "https://" + Substring(shown[...].utf8.drop { $0 == UInt8(ascii: "/") })
        let mayBeMeant = AddressParts(address).hasUsableHost && !address.contains(" ")
        guard mayBeMeant else { throw refusal(text, ": it has no scheme") }
        throw refusal(text, ": it has no scheme", "did you mean \(address)?")
    }

    /// The text for messages.
    private static func shown(_ text: String) -> String {
        // An `@` among the bytes of a `data:` URL does not end a user's part.
        DataURL.redacted(AddressParts(text))
            ?? AddressParts.withoutUser(text).redacted.sanitized(atMost: 200)
    }

    private static func credentials(_ userInfo: String) -> Credentials? {
        guard !userInfo.isEmpty else { return nil }
        let colon = userInfo.utf8.firstIndex(of: UInt8(ascii: ":")) ?? userInfo.endIndex
        return Credentials(
            name: userInfo[..<colon].percentDecoded,
            password: Substring(userInfo.utf8[colon...].dropFirst()).percentDecoded
        )
    }
}
