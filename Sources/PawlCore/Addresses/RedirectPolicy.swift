package import struct FoundationEssentials.URL

/// Where a redirect may lead, and what may be sent there.
package struct RedirectPolicy: Sendable {
    package static let mostHops = 20

    package var allowsInsecure: Bool

    package init(allowsInsecure: Bool = false) { self.allowsInsecure = allowsInsecure }

    /// The URL that `location`, as received from `url`, stands for, `hops` redirects behind us.
    ///
    /// A fragment is dropped, as it is never sent; a user's part too, as no server chooses whom we
    /// log in as.
    package func next(
        from url: URL,
        location: String,
        hops: Int
    ) throws(DownloadError) -> URL {
        guard hops < Self.mostHops else {
            throw DownloadError(
                .tooManyRedirects,
                "more than \(Self.mostHops) redirects, the last to "
                    + redacted(location),
                advice: "the server sends the client in a circle; check the URL in a browser"
            )
        }
        let parts = try resolve(location, against: url)
        let scheme = parts.scheme?.lowercased() ?? ""
        guard scheme == "https" || scheme == "http" else {
            throw DownloadError(
                .redirectRefused,
                "a redirect to \(redacted(location)), which is not HTTP",
                advice: "only http and https are followed"
            )
        }
        guard allowsInsecure || scheme == "https" || url.scheme?.lowercased() != "https" else {
            throw DownloadError(
                .redirectRefused,
                "a redirect from HTTPS to \(redacted(location))",
                advice: "nothing protects the file there; ask for that URL itself to accept it"
            )
        }
        guard parts.hasUsableHost, parts.hasUsablePort, let next = parts.requestURL else {
            throw unreadable(location)
        }
        return next
    }

    /// The fields and credentials for a request to `origin`.
    ///
    /// The origin that the user named gets all of them. Any other one gets the fields that are marked for
    /// it or that every server may see, and no secret.
    package static func fieldsToSend(
        _ fields: [HTTPField],
        credentials: Credentials?,
        original: Origin,
        to origin: Origin
    ) -> (fields: [HTTPField], credentials: Credentials?) {
        guard origin != original else { return (fields, credentials) }
        return (fieldsForAnyOrigin(fields), nil)
    }

    /// The fields that may be sent to an origin other than the one they were given for.
    package static func fieldsForAnyOrigin(_ fields: [HTTPField]) -> [HTTPField] {
        fields.filter { field in
            !SecretField.isSecret(field.name)
                && (field.isForAnyOrigin || describing.contains(field.name.lowercased()))
        }
    }

    /// Fields of HTTP itself that describe the client, the body and what is asked for.
    private static let describing: Set = [
        "accept", "accept-language", "cache-control", "content-encoding", "content-language",
        "content-type", "if-match", "if-modified-since", "if-none-match", "if-unmodified-since",
        "pragma", "user-agent", "want-content-digest", "want-repr-digest",
    ]

    /// An absolute location is taken as it is; a relative one is resolved (RFC 3986 §5.2).
    private func resolve(
        _ location: String,
        against url: URL
    ) throws(DownloadError) -> AddressParts {
        let parts = AddressParts(location.trimmed)
        guard parts.scheme == nil else { return parts }
        guard parts.host == nil else {
            var resolved = parts
            resolved.scheme = url.scheme
            return resolved
        }
        guard
            let resolved = URL(
                string: parts.text.encodingIllegalURLBytes,
                relativeTo: url
            )?.absoluteString
        else { throw unreadable(location) }
        return AddressParts(resolved)
    }

    private func unreadable(_ location: String) -> DownloadError {
        DownloadError(.badResponse, "a redirect to '\(redacted(location))', which is no URL")
    }

    private func redacted(_ location: String) -> String {
        AddressParts(location).redacted.sanitized(atMost: 200)
    }
}
