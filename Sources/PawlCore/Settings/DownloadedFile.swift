/// A finished download.
public struct DownloadedFile: Sendable, Hashable, Codable {
    /// The path of the file.
    public var path: String
    /// The file's size in bytes.
    public var byteCount: Int64
    /// The digest against which the file was verified; `nil` if there was none.
    public var verifiedDigest: ContentDigest?
    /// Whether the file existed already, so that nothing was fetched.
    public var wasAlreadyThere = false
    /// Whether the server announced the file's length.
    ///
    /// Without it, the file may be too short.
    public var isLengthVerified = true
    /// The body's `Content-Encoding`, if the server encoded it although that was not requested.
    ///
    /// The file contains the encoded bytes.
    public var contentEncoding: String?

    package init(path: String, byteCount: Int64) {
        self.path = path
        self.byteCount = byteCount
    }
}
