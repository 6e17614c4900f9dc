internal import struct FoundationEssentials.Data

/// Codes the data as one opaque value: base64 text with JSON's coders, bytes in a property list.
extension ResumeData: Codable {
    /// Decodes the output of `encode`, or base64 text, however the coder represents bytes.
    ///
    /// Throws `DownloadError` with the code `.invalidResumeData` if the bytes are damaged.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let bytes: [UInt8]
        if let text = try? container.decode(String.self) {
            guard let decoded = [UInt8](base64: text) else {
                throw ResumeFormat.unreadable("the resume data is damaged: it is not base64")
            }
            bytes = decoded
        } else {
            // A value that is not text is bytes. If it is neither, the coder reports the error.
            bytes = Array(try container.decode(Data.self))
        }
        try self.init(data: bytes)
    }

    /// Encodes the bytes of `data` as one value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(data)
    }
}
