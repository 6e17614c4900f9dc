internal import struct FoundationEssentials.Data

/// One opaque value: text in base64 where the coder is JSON's, bytes in a property list.
extension ResumeData: Codable {
    /// Reads what `encode` wrote; also base64 text, whatever the coder makes of bytes.
    ///
    /// Throws `DownloadError` with the code `.invalidResumeData` where the bytes are damaged.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let bytes: [UInt8]
        if let text = try? container.decode(String.self) {
            guard let decoded = [UInt8](base64: text) else {
                throw ResumeFormat.unreadable("the resume data are damaged: they are no base64")
            }
            bytes = decoded
        } else {
            // What is no text is bytes; the coder's own error tells where it is neither.
            bytes = Array(try container.decode(Data.self))
        }
        try self.init(data: bytes)
    }

    /// Writes the bytes of `data` as one value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(data)
    }
}
