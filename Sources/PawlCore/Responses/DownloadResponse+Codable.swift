internal import struct FoundationEssentials.URL

/// The coded form has the members `url`, `redirects`, `status`, `fields` (objects with `name` and
/// `value`), `protocolVersion` and, if the body was decoded, `isContentDecoded`.
///
/// The other properties follow from these. Unknown members are ignored. The form contains all
/// fields and the whole URLs, and with them cookies and signatures as plain text.
extension DownloadResponse: Codable {
    private enum CodingKeys: CodingKey {
        case url, redirects, status, fields, protocolVersion, isContentDecoded
    }

    /// Decodes a response.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        var head = ResponseHead(
            url: try members.decode(URL.self, forKey: .url),
            status: try members.decode(Int.self, forKey: .status),
            protocolVersion: try members.decode(String.self, forKey: .protocolVersion),
            fields: try members.decode([HTTPField].self, forKey: .fields)
        )
        let isDecoded = try members.decodeIfPresent(Bool.self, forKey: .isContentDecoded)
        if isDecoded == true { head.decoding = .decoded }
        self.init(
            head,
            redirects: try members.decodeIfPresent([URL].self, forKey: .redirects) ?? []
        )
    }

    /// Encodes the response.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(url, forKey: .url)
        if !redirects.isEmpty { try members.encode(redirects, forKey: .redirects) }
        try members.encode(status, forKey: .status)
        try members.encode(fields, forKey: .fields)
        try members.encode(protocolVersion, forKey: .protocolVersion)
        if isContentDecoded { try members.encode(true, forKey: .isContentDecoded) }
    }
}
