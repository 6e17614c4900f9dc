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
    /// The server's response, such as its status and fields; `nil` if no server has responded.
    ///
    /// That of a resumed download is the response to its last part, usually with the status 206. It
    /// is left out when the file is encoded, because its fields may be secret.
    public var response: DownloadResponse?

    private enum CodingKeys: String, CodingKey {
        case path, byteCount, verifiedDigest, wasAlreadyThere, isLengthVerified, contentEncoding
    }

    package init(path: String, byteCount: Int64) {
        self.path = path
        self.byteCount = byteCount
    }
}
