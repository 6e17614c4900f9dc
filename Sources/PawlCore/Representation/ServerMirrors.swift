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
        let policy = RedirectPolicy()
        var found: [(rank: (Int, Int, Int), url: URL)] = []
        for link in head.values("Link").flatMap(LinkField.parse)
        where link.relations.contains("duplicate") {
            guard let url = try? policy.next(from: head.url, location: link.target, hops: 0),
                url != head.url, !found.contains(where: { $0.url == url })
            else { continue }
            let place = link.parameters["geo"].flatMap { countries.firstIndex(of: $0.lowercased()) }
            let priority = link.parameters["pri"].flatMap { Int($0) } ?? .max
            found.append(((place ?? countries.count, priority, found.count), url))
        }
        return found.sorted { $0.rank < $1.rank }.prefix(most).map(\.url)
    }
}
