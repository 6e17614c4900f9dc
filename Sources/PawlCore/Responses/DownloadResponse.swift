public import struct FoundationEssentials.URL

/// What the server said of what it sends.
public struct DownloadResponse: Sendable, Hashable {
    /// Where the redirects ended.
    public let url: URL
    /// The URLs that redirected, the first asked first; empty where there were no redirects.
    public let redirects: [URL]
    /// The HTTP status: 200, 206.
    public let status: Int
    /// As received, in order, repeated fields apart.
    public let fields: [HTTPField]
    /// `HTTP/1.1`, `HTTP/2`.
    public let protocolVersion: String
    /// The whole file's size in bytes, nil where the server does not say; of a 206 it is the whole
    /// one's, too.
    public let expectedContentLength: Int64?
    /// Lower case, without parameters.
    public let mediaType: String?
    /// From `Content-Disposition` (RFC 6266, RFC 8187), else from the URL; cleaned.
    public let suggestedFilename: String

    package init(_ head: ResponseHead, redirects: [URL] = []) {
        let representation = Representation(head: head)
        url = head.url
        self.redirects = redirects
        status = head.status
        fields = head.fields
        protocolVersion = head.protocolVersion
        expectedContentLength = representation.total
        mediaType = representation.mediaType
        suggestedFilename = FileName.suggested(
            contentDisposition: head["Content-Disposition"],
            url: head.url,
            mediaType: head["Content-Type"]
        )
    }

    /// The values of all fields of that name, joined by commas (RFC 9110 §5.3); case does not
    /// matter.
    public func value(_ name: String) -> String? {
        let values = fields.filter { $0.hasName(name) }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }
}
