package import PawlCore
package import struct FoundationEssentials.URL

/// A feed as it was read: RSS (0.9 to 2.0) or Atom (RFC 4287), with the names of podcasts.
package struct FeedDocument: Equatable, Sendable {
    /// The title; empty if there is none.
    package var title = ""
    /// The items in the order of the document.
    package var items: [Item] = []
    /// The shortest time between two checks that the feed asks for (`ttl`, `sy:updatePeriod`).
    package var updateInterval: Duration?

    /// The maximum size of a document.
    package static let mostBytes: Int64 = 8 << 20
    /// The maximum number of items.
    static let mostItems = 10_000

    package init() {}

    /// An item.
    package struct Item: Equatable, Sendable {
        /// The `guid` or `id`; `nil` if the item has none.
        package var id: String?
        /// The title without the marks of HTML's character references; empty if there is none.
        package var title = ""
        /// The URL of the file.
        package var enclosure: String?
        /// The media type that the feed states for the file.
        package var mediaType: String?
        /// The URL of the item's page.
        package var link: String?
        /// The time of publication, in seconds since 1970.
        package var published: Int64?

        package init() {}
    }

    /// Reads a document.
    ///
    /// - Parameters:
    ///   - bytes: The document.
    ///   - url: Its URL, to which relative URLs refer.
    /// - Throws: `.badResponse` if it is not a feed, or exceeds a limit.
    package init(_ bytes: [UInt8], from url: URL) throws(DownloadError) {
        var limits = XMLReader.Limits()
        // Pages may be within the items.
        limits.depth = 256
        limits.textBytes = Int(Self.mostBytes)
        var parser = FeedParser(url)
        do throws(DownloadError) {
            let (bytes, encoding) = try Self.readable(bytes)
            let reader = XMLReader(
                "the feed",
                failure: .badResponse,
                limits: limits,
                encoding: encoding
            )
            try reader.read(bytes) { (event) throws(DownloadError) in try parser.take(event) }
            try reader.finish { (event) throws(DownloadError) in try parser.take(event) }
        } catch {
            var error = error
            if error.guidance.isEmpty {
                error.guidance = "check in a browser that the URL is that of the feed itself"
            }
            throw error
        }
        self = parser.document
    }

    /// Returns the document, and its encoding if that is another one than it declares.
    private static func readable(
        _ bytes: [UInt8]
    ) throws(DownloadError) -> (bytes: [UInt8], encoding: String?) {
        switch XMLEncoding.convert(bytes) {
        case .same: return (bytes, nil)
        case .converted(let bytes): return (bytes, "UTF-8")
        case .invalid(let name):
            throw DownloadError(
                .badResponse,
                "the feed cannot be read as XML: it is not valid in its encoding, '\(name)'"
            )
        }
    }
}
