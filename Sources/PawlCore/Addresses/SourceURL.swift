package import struct FoundationEssentials.URL

/// Reads a URL that a user gave.
package enum SourceURL {
    /// The URL without user and fragment, and the credentials that stood in it.
    package static func parse(
        _ text: String
    ) throws(DownloadError) -> (url: URL, credentials: Credentials?) {
        let text = text.trimmed
        guard !text.isEmpty else {
            throw DownloadError(.usage, "an empty URL", advice: "give one as https://host/file")
        }
        let parts = AddressParts(text)
        let shown = shown(text)
        guard !text.unicodeScalars.contains(where: \.isUnsafeToShow) else {
            throw DownloadError(
                .usage,
                "'\(shown)' is no URL: it holds control characters",
                advice: "encode them as %XX"
            )
        }
        try checkScheme(parts, shown)
        guard parts.hasUsableHost else {
            throw DownloadError(
                .usage,
                "'\(shown)' is no URL: it has no valid host",
                advice: "give one as https://host/file"
            )
        }
        guard parts.hasUsablePort else {
            throw DownloadError(
                .usage,
                "'\(shown)' is no URL: its port is none",
                advice: "a port is a number from 1 to 65535"
            )
        }
        guard let url = parts.requestURL else {
            throw DownloadError(
                .usage,
                "'\(shown)' is no URL",
                advice: "give one as https://host/file"
            )
        }
        return (url, parts.userInfo.flatMap(credentials))
    }

    private static func checkScheme(
        _ parts: AddressParts,
        _ shown: String
    ) throws(DownloadError) {
        let scheme = parts.scheme?.lowercased()
        if scheme == "https" || scheme == "http" { return }
        // `localhost:8080/file` and `user:password@host` read as schemes too.
        let isHost =
            parts.host == nil
            && (scheme?.contains(".") == true || parts.path.first?.isNumber == true
                || parts.path.contains("@"))
        if let scheme, !isHost {
            throw DownloadError(
                .usage,
                "'\(shown)': \(scheme.sanitized(atMost: 20)) is not supported",
                advice: "only http and https are"
            )
        }
        let address = shown.drop { $0 == "/" }
        throw DownloadError(
            .usage,
            "'\(shown)' is no URL: it has no scheme",
            advice: "did you mean https://\(address)?"
        )
    }

    /// For quoting: nothing of what is before the last `@`, as a password with a bare `/`, `?` or
    /// `#` in it reads as a host and a path.
    private static func shown(_ text: String) -> String {
        var address = Substring(text)
        if let sign = address.lastIndex(of: "@") {
            address = address[address.index(after: sign)...]
        }
        let scheme = AddressParts(text).scheme?.lowercased()
        let isCut = address.startIndex > text.startIndex
        let prefix = isCut && (scheme == "https" || scheme == "http") ? "\(scheme ?? "")://" : ""
        return AddressParts(prefix + address).redacted.sanitized(atMost: 200)
    }

    private static func credentials(_ userInfo: String) -> Credentials? {
        guard !userInfo.isEmpty else { return nil }
        let colon = userInfo.firstIndex(of: ":") ?? userInfo.endIndex
        return Credentials(
            name: userInfo[..<colon].percentDecoded,
            password: userInfo[colon...].dropFirst().percentDecoded
        )
    }
}
