package import PawlCore
internal import struct FoundationEssentials.URL

/// The server's response for a download, without fields that may be secret.
package struct WireResponse: Codable, Sendable, Hashable {
    package var url: String
    package var redirects: [String]?
    package var status: Int
    package var fields: [WireField]
    package var protocolVersion: String

    /// The fields that describe the file.
    ///
    /// Others may be cookies or tokens.
    private static let shownFields: Set<String> = [
        "accept-ranges", "age", "cache-control", "content-digest", "content-disposition",
        "content-encoding", "content-language", "content-length", "content-md5", "content-range",
        "content-type", "date", "digest", "etag", "expires", "last-modified", "repr-digest",
        "server",
    ]

    package init(_ response: DownloadResponse) {
        url = response.url.redacted
        redirects = response.redirects.isEmpty ? nil : response.redirects.map(\.redacted)
        status = response.status
        fields = response.fields.filter { Self.shownFields.contains($0.name.lowercased()) }
            .map { WireField($0) }
        protocolVersion = response.protocolVersion
    }

    /// The response head; `nil` if the URL is not valid.
    package var head: ResponseHead? {
        guard let url = URL(string: url) else { return nil }
        return ResponseHead(
            url: url,
            status: status,
            protocolVersion: protocolVersion,
            fields: fields.map { HTTPField(name: $0.name, value: $0.value) }
        )
    }

    package var response: DownloadResponse? {
        head.map { head in
            DownloadResponse(head, redirects: (redirects ?? []).compactMap { URL(string: $0) })
        }
    }
}

/// A header field of a response.
package struct WireField: Codable, Sendable, Hashable {
    package var name: String
    package var value: String

    package init(_ field: HTTPField) { (name, value) = (field.name, field.value) }
}
