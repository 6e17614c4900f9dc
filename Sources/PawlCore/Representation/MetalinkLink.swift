package import struct FoundationEssentials.URL

/// The Metalink that a server names for its file (`Link: rel=describedby`, RFC 6249).
package enum MetalinkLink {
    private static let mediaType = "application/metalink4+xml"

    /// Returns the URL of the Metalink for the file of a download; `nil` if none is named.
    ///
    /// Only the server of the download's own URL can name one, and only one of its own: neither the
    /// target of a redirect nor a mirror decides which digests a file must have.
    ///
    /// - Parameter url: The URL of the download.
    package static func parse(_ head: ResponseHead, of url: URL) -> URL? {
        guard let origin = Origin(url), Origin(head.url) == origin else { return nil }
        let policy = RedirectPolicy()
        for link in head.values("Link").flatMap(LinkField.parse)
        where link.relations.contains("describedby") && isMetalink(link) {
            guard let target = try? policy.next(from: head.url, location: link.target, hops: 0),
                Origin(target) == origin
            else { continue }
            return target
        }
        return nil
    }

    private static func isMetalink(_ link: LinkField) -> Bool {
        let type = (link.parameters["type"] ?? "").lowercased()
        return type == mediaType || type.hasPrefix(mediaType + ";")
    }
}
