public import struct FoundationEssentials.URL

/// The server's response to a request.
public struct DownloadResponse: Sendable, Hashable {
    /// The URL at the end of the redirects.
    public let url: URL
    /// The URLs that redirected, in the order of the requests; empty if there were no redirects.
    public let redirects: [URL]
    /// The URL to use from now on, to which permanent redirects led (301, 308); `nil` if there is
    /// none, or if it is not known.
    package let permanentURL: URL?
    /// The HTTP status, such as 200 or 206.
    public let status: Int
    /// The fields as received, in order; repeated fields are separate.
    public let fields: [HTTPField]
    /// The protocol version, such as `HTTP/1.1` or `HTTP/2`.
    public let protocolVersion: String
    /// Whether the body was sent with a content coding, such as `gzip`, and is delivered decoded.
    public let isContentDecoded: Bool
    /// The size of the whole file in bytes, even for a 206; `nil` if the server does not report it,
    /// and if the body is decoded.
    public let expectedContentLength: Int64?
    /// The media type in lower case, without parameters.
    public let mediaType: String?
    /// The cleaned name from `Content-Disposition` (RFC 6266, RFC 8187), otherwise from the URL.
    public let suggestedFilename: String

    package init(_ head: ResponseHead, redirects: [URL] = [], permanentURL: URL? = nil) {
        let representation = Representation(head: head)
        url = head.url
        self.redirects = redirects
        self.permanentURL = permanentURL
        status = head.status
        fields = head.fields
        protocolVersion = head.protocolVersion
        isContentDecoded = head.decoding == .decoded
        // The server reports the length of the encoded body.
        expectedContentLength = isContentDecoded ? nil : representation.total
        mediaType = representation.mediaType
        suggestedFilename = FileName.suggested(
            contentDisposition: head["Content-Disposition"],
            url: head.url,
            mediaType: head["Content-Type"]
        )
    }

    /// The `charset` of the `Content-Type`, in lower case; `nil` if there is none.
    ///
    /// `FetchedData.string()` decodes the body with it.
    public var textEncodingName: String? {
        let charset = value("Content-Type").flatMap {
            MediaTypeParameter.value("charset", in: $0)
        }
        return charset.map(\.trimmed).flatMap { $0.isEmpty ? nil : $0.lowercased() }
    }

    /// Is called ``status``.
    @available(*, unavailable, renamed: "status")
    public var statusCode: Int { status }

    /// Is called ``mediaType``.
    @available(*, unavailable, renamed: "mediaType")
    public var mimeType: String? { mediaType }

    /// Is called ``fields``, and is a list.
    @available(*, unavailable, renamed: "fields")
    public var allHeaderFields: [HTTPField] { fields }

    /// Is called ``value(_:)``.
    @available(*, unavailable, renamed: "value(_:)")
    public func value(forHTTPHeaderField name: String) -> String? { value(name) }

    /// Returns the values of all fields of that name, joined by commas (RFC 9110 §5.3), ignoring
    /// case.
    public func value(_ name: String) -> String? {
        fields.value(name)
    }
}
