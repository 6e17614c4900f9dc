public import struct FoundationEssentials.URL
public import PawlCore
internal import PawlEngine

/// What a server says of a file.
public struct SourceDescription: Sendable {
    /// The status of the last answer.
    public var status: Int
    /// Where the redirects ended.
    public var finalURL: URL
    /// The URLs that redirected, the first asked first; empty where there were no redirects.
    public var redirects: [URL]
    /// The name that the file would get.
    public var suggestedName: String
    /// The file's size in bytes, nil where the server does not say.
    public var totalBytes: Int64?
    /// Lower case, without parameters.
    public var mediaType: String?
    /// As sent.
    public var entityTag: String?
    /// As sent.
    public var lastModified: String?
    /// Whether the server says or lets expect that it serves ranges.
    public var acceptsRanges: Bool
    /// Whether an interrupted download could go on in a later run.
    public var isResumable: Bool
    /// What the server says the file's digests are, the strongest first.
    public var digests: [ContentDigest]
    /// `HTTP/1.1`, `HTTP/2`.
    public var protocolVersion: String
    /// The body's coding where the server encodes it unasked.
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
        // Where no validator proves the file, its bytes are compared, which needs its length.
        isResumable =
            acceptsRanges
            && (representation.validatorStrength == .strong || representation.total != nil)
        digests = ServerDigests.parse(head)
        protocolVersion = response.protocolVersion
        contentEncoding = representation.contentEncoding
    }
}
