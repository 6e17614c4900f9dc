internal import PawlCore
package import struct FoundationEssentials.URL

/// An object that an `s3:` URL names, or the list of a bucket's objects.
package struct S3Object: Hashable, Sendable {
    package var bucket: String
    /// The key, in bytes that are usually UTF-8; empty for the bucket itself.
    package var key: [UInt8]
    /// The names and values of the query, decoded.
    private var query: [QueryItem]

    private struct QueryItem: Hashable {
        var name: String
        var value: String
    }

    /// Returns `nil` if the URL does not name an object or a bucket.
    package init?(_ url: URL) {
        let parts = AddressParts(url.absoluteString)
        guard URLScheme(of: parts.scheme) == .s3, let bucket = parts.host,
            ObjectAddress.isBucket(bucket)
        else { return nil }
        self.bucket = bucket
        key = Array(parts.path.percentDecodedBytes.dropFirst())
        query = (parts.query ?? "").split(separator: "&").map { item in
            let pieces = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return QueryItem(
                name: pieces[0].percentDecoded,
                value: pieces.count > 1 ? pieces[1].percentDecoded : ""
            )
        }
    }

    /// The version of the object that the URL names; `nil` for the newest.
    package var version: String? {
        get { query.first { $0.name == Self.versionName }?.value }
        set {
            query.removeAll { $0.name == Self.versionName }
            if let newValue { query.append(QueryItem(name: Self.versionName, value: newValue)) }
        }
    }

    private static let versionName = "versionId"

    /// Whether the URL names a list of objects.
    var isList: Bool { key.isEmpty && query.contains { $0.name == "list-type" } }

    /// The query of a request for the object.
    package var queryItems: [(name: String, value: String)] { query.map { ($0.name, $0.value) } }

    /// Whether the bucket's name can be a label of a host name.
    ///
    /// A dot would be one too many for the certificate of the service.
    var mayBeHost: Bool {
        (3...63).contains(bucket.utf8.count)
            && bucket.utf8.allSatisfy { $0 == UInt8(ascii: "-") || $0.isDigit || $0.isLowercase }
            && bucket.utf8.first != UInt8(ascii: "-") && bucket.utf8.last != UInt8(ascii: "-")
    }
}

extension UInt8 {
    fileprivate var isLowercase: Bool { isLetter && self & 0x20 != 0 }
}
