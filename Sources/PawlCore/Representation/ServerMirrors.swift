package import struct FoundationEssentials.URL

/// The copies of a file that a server names in its response (RFC 6249, Metalink/HTTP).
package enum ServerMirrors {
    /// The maximum number that is used.
    private static let most = 16

    /// Returns the URLs of the copies, the best first.
    ///
    /// They are on servers with HTTP, and never less protected than the response.
    ///
    /// - Parameter countries: The preferred countries, the best first, in lower case.
    package static func parse(_ head: ResponseHead, preferring countries: [String] = []) -> [URL] {
        let links = head.values("Link").flatMap(LinkField.parse).filter {
            $0.relations.contains("duplicate")
        }
        let ranked = links.enumerated().map { index, link in
            let position = link.parameters["geo"].flatMap {
                countries.firstIndex(of: $0.lowercased())
            }
            let priority = link.parameters["pri"].flatMap { Int($0) } ?? .max
            return (rank: (position ?? countries.count, priority, index), target: link.target)
        }
        return usable(ranked.sorted { $0.rank < $1.rank }.map(\.target), from: head.url)
    }

    /// Returns the URLs that may be used, of those that the server at `url` names in this order.
    package static func usable(_ targets: [String], from url: URL) -> [URL] {
        let policy = RedirectPolicy()
        var found: [URL] = []
        for target in targets where found.count < most {
            guard let next = try? policy.next(from: url, location: target, hops: 0),
                next != url, !found.contains(next)
            else { continue }
            found.append(next)
        }
        return found
    }
}
