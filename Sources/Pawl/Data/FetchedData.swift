public import struct FoundationEssentials.Data
public import PawlCore
internal import PawlEngine

/// A complete response in memory.
public struct FetchedData: Sendable, Hashable {
    /// The default limit for the body: 64 MiB.
    public static let defaultLimit: Int64 = 64 << 20

    /// The body.
    public let bytes: [UInt8]
    /// The server's response.
    public let response: DownloadResponse

    init(_ body: CollectedBody) { self.init(body.bytes, body.response) }

    package init(_ bytes: [UInt8], _ response: DownloadResponse) {
        self.bytes = bytes
        self.response = response
    }

    /// The body as `Data`.
    public var data: Data { Data(bytes) }

    /// The media type of the `Content-Type` in lower case, without parameters.
    public var mediaType: String? { response.mediaType }

    /// The body's `Content-Encoding`, if the server encoded it although that was not requested.
    ///
    /// The bytes are then the encoded ones.
    public var contentEncoding: String? {
        let codings = (response.value("Content-Encoding") ?? "").split(separator: ",")
            .map { $0.trimmed.lowercased() }.filter { !$0.isEmpty && $0 != "identity" }
        return codings.isEmpty ? nil : codings.joined(separator: ", ")
    }

    /// Whether the server announced the length of the body.
    ///
    /// Without it, the body may be too short.
    public var isLengthVerified: Bool {
        // HTTP/2 and later frame every body.
        !response.protocolVersion.hasPrefix("HTTP/1")
            || response.value("Content-Length") != nil
            || response.value("Transfer-Encoding") != nil
    }

    /// Throws if the bytes are encoded.
    func requireUncoded(as what: String) throws(DownloadError) {
        guard let coding = contentEncoding else { return }
        throw DownloadError(
            .badResponse,
            "the response is encoded (\(coding.sanitized(atMost: 40))), which was not requested",
            advice: "decode its bytes before you read them as \(what)",
            context: "reading \(response.url.redacted) as \(what)"
        )
    }
}
