/// A download that ended well.
public struct DownloadedFile: Sendable, Hashable {
    /// Where the file is.
    public var path: String
    /// Its size in bytes.
    public var byteCount: Int64
    /// The digest that it was checked against; nil where there was none.
    public var verifiedDigest: ContentDigest?
    /// Whether it was there already, so that nothing was fetched.
    public var wasAlreadyThere = false
    /// Whether the server said how long the file is; a body that merely ended may be too short.
    public var isLengthVerified = true
    /// The body's `Content-Encoding` where the server sent one unasked; the file holds the encoded
    /// bytes.
    public var contentEncoding: String?

    package init(path: String, byteCount: Int64) {
        self.path = path
        self.byteCount = byteCount
    }
}
