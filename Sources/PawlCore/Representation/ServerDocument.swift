package import struct FoundationEssentials.URL

/// A document about a file that the file's server can name (`Link: rel=describedby`, RFC 6249).
package enum ServerDocument: String, Sendable {
    case metalink = "application/metalink4+xml"
    case signature = "application/pgp-signature"

    /// Returns the URL of the document for the file of a download; `nil` if none is named.
    ///
    /// Only the server of the download's own URL can name one, and only one of its own: neither the
    /// target of a redirect nor a mirror decides which digests a file must have.
    ///
    /// - Parameters:
    ///   - fields: Those of a response.
    ///   - response: The URL of the response.
    ///   - download: The URL of the download.
    package func url(
        in fields: [HTTPField],
        from response: URL,
        of download: URL
    ) -> URL? {
        guard let origin = Origin(download), Origin(response) == origin else { return nil }
        let policy = RedirectPolicy()
        let links = fields.filter { $0.hasName("Link") }.flatMap { LinkField.parse($0.value) }
        for link in links where link.relations.contains("describedby") && isType(of: link) {
            guard let target = try? policy.next(from: response, location: link.target, hops: 0),
                Origin(target) == origin
            else { continue }
            return target
        }
        return nil
    }

    private func isType(of link: LinkField) -> Bool {
        let type = (link.parameters["type"] ?? "").lowercased()
        return type == rawValue || type.hasPrefix(rawValue + ";")
    }
}
