public import struct FoundationEssentials.URL
public import PawlCore
internal import PawlEngine

/// A server's description of a file.
public struct SourceDescription: Sendable {
    /// The status of the last response.
    public var status: Int
    /// The URL at the end of the redirects.
    public var finalURL: URL
    /// The URLs that redirected, in the order of the requests; empty if there were no redirects.
    public var redirects: [URL]
    /// The name that the downloaded file would get.
    public var suggestedName: String
    /// The file's size in bytes; `nil` if the server does not report it.
    public var totalBytes: Int64?
    /// The media type in lower case, without parameters.
    public var mediaType: String?
    /// The entity tag as sent.
    public var entityTag: String?
    /// The `Last-Modified` field as sent.
    public var lastModified: String?
    /// Whether the server reports that it supports ranges, or is likely to support them.
    public var acceptsRanges: Bool
    /// Whether an interrupted download could be resumed by a later run.
    public var isResumable: Bool
    /// The file's digests according to the server, the strongest first.
    public var digests: [ContentDigest]
    /// The protocol version, such as `HTTP/1.1` or `HTTP/2`.
    public var protocolVersion: String
    /// The encoding of the body, if the server encodes it although that was not requested.
    public var contentEncoding: String?

    init(_ findings: Inspector.Findings) {
        let head = findings.head
        let response = DownloadResponse(head, redirects: findings.redirects)
        let representation = Representation(head: head)
        status = response.status
        finalURL = response.url
        redirects = response.redirects
        suggestedName = response.suggestedFilename
        totalBytes = response.expectedContentLength
        mediaType = response.mediaType
        entityTag = head["ETag"]
        lastModified = representation.lastModified
        acceptsRanges = HeadJudge.acceptsRanges(head, representation)
        // If no validator proves the file, its bytes are compared, which needs its length.
        isResumable =
            acceptsRanges
            && (representation.validatorStrength == .strong || representation.total != nil)
        digests = ServerDigests.parse(head)
        protocolVersion = response.protocolVersion
        contentEncoding = representation.contentEncoding
    }
}
