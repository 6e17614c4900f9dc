package import struct FoundationEssentials.URL

/// Decides where a redirect may lead, and what may be sent there.
package struct RedirectPolicy: Sendable {
    /// The usual maximum number of redirects in a row.
    package static let usualMaximum = 20

    private let maximum: Int
    private let allowsInsecure: Bool

    package init(maximum: Int = usualMaximum, allowsInsecure: Bool = false) {
        self.maximum = maximum
        self.allowsInsecure = allowsInsecure
    }

    /// Returns the URL that `location`, received from `url`, refers to; `hops` is the number of
    /// earlier redirects, and `nil` if this one does not count.
    ///
    /// The fragment is dropped because it is never sent. The user is dropped because a server must
    /// not choose whom the client logs in as.
    package func next(
        from url: URL,
        location: String,
        hops: Int?
    ) throws(DownloadError) -> URL {
        let parts = try resolve(location, against: url)
        let scheme = parts.scheme?.lowercased() ?? ""
        guard scheme == "https" || scheme == "http" else {
            throw DownloadError(
                .redirectRefused,
                "the server redirects to \(redacted(location)), which is not HTTP",
                advice: "only http and https are supported"
            )
        }
        guard allowsInsecure || scheme == "https" || !isSecure(url) else {
            throw DownloadError(
                .redirectRefused,
                "the server redirects from HTTPS to \(redacted(location))",
                advice:
                    "HTTP does not protect the transfer; to accept that, use the HTTP URL directly"
            )
        }
        guard parts.hasUsableHost, parts.hasUsablePort, let next = parts.requestURL else {
            throw unreadable(location)
        }
        // Last, because its advice is to request the URL.
        guard hops.map({ $0 < maximum }) ?? true else { throw oneTooMany(to: next) }
        return next
    }

    /// Whether the requests for a URL are sent over TLS, or usually are.
    private func isSecure(_ url: URL) -> Bool {
        [.https, .s3].contains(URLScheme(of: url.scheme))
    }

    /// Returns the fields and credentials for a request to `origin`.
    ///
    /// The origin that the user named gets all of them. Any other origin gets only the fields that
    /// are marked for it or that every server may see, and no secret.
    package static func fieldsToSend(
        _ fields: [HTTPField],
        credentials: Credentials?,
        original: Origin,
        to origin: Origin
    ) -> (fields: [HTTPField], credentials: Credentials?) {
        guard origin != original else { return (fields, credentials) }
        return (fieldsForAnyOrigin(fields), nil)
    }

    /// Returns the fields that may be sent to an origin other than the one they were given for.
    package static func fieldsForAnyOrigin(_ fields: [HTTPField]) -> [HTTPField] {
        fields.filter { field in
            !SecretField.isSecret(field.name)
                && (field.isForAnyOrigin || describing.contains(field.name.lowercased()))
        }
    }

    /// HTTP's own fields that describe the client, the body and the request.
    private static let describing: Set = [
        "accept", "accept-language", "cache-control", "content-encoding", "content-language",
        "content-type", "if-match", "if-modified-since", "if-none-match", "if-unmodified-since",
        "pragma", "user-agent", "want-content-digest", "want-repr-digest",
    ]

    /// Returns the method after a redirect, and whether the body is sent again (RFC 9110 §15.4).
    ///
    /// 303 names the URL of the result, which is read with GET. 301 and 302 turn a POST into a
    /// GET, as browsers have always done. 307 and 308 repeat the request unchanged.
    package static func method(
        after status: Int,
        of method: String
    ) -> (method: String, keepsBody: Bool) {
        switch status {
        case 303: (method == "HEAD" ? "HEAD" : "GET", false)
        case 301, 302: method == "POST" ? ("GET", false) : (method, true)
        default: (method, true)
        }
    }

    /// Returns the fields for a request without its body, leaving out those that describe the body.
    package static func fieldsWithoutBody(_ fields: [HTTPField]) -> [HTTPField] {
        let names = [
            "Content-Type", "Content-Length", "Content-Encoding", "Content-Language",
            "Content-Location", "Content-MD5", "Content-Digest", "Digest", "Repr-Digest", "Expect",
        ]
        return fields.filter { field in !names.contains { field.hasName($0) } }
    }

    /// Resolves a location: an absolute one is used as it is, a relative one is resolved (RFC 3986
    /// §5.2).
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

    private func oneTooMany(to next: URL) -> DownloadError {
        guard maximum > 0 else {
            return DownloadError(
                .redirectRefused,
                "the server redirects to \(redacted(next.absoluteString)), and no redirect is followed",
                advice: "request that URL, or raise \(.maximumRedirects)"
            )
        }
        return DownloadError(
            .tooManyRedirects,
            "more than \(maximum) \(maximum == 1 ? "redirect" : "redirects"), the last to "
                + redacted(next.absoluteString),
            advice: "the redirects probably form a loop; check the URL in a browser"
        )
    }

    private func unreadable(_ location: String) -> DownloadError {
        DownloadError(
            .badResponse,
            "the server redirects to '\(redacted(location))', which is not a valid URL"
        )
    }

    private func redacted(_ location: String) -> String {
        AddressParts(location).redacted.sanitized(atMost: 200)
    }
}
