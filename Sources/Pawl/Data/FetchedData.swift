public import struct FoundationEssentials.Data
public import PawlCore
internal import PawlEngine

/// An answer as a whole, in memory.
public struct FetchedData: Sendable, Hashable {
    /// How much may come where nothing else is said: 64 MiB.
    public static let defaultLimit: Int64 = 64 << 20

    /// The body.
    public let bytes: [UInt8]
    /// What the server said of it.
    public let response: DownloadResponse

    init(_ body: CollectedBody) { self.init(body.bytes, body.response) }

    package init(_ bytes: [UInt8], _ response: DownloadResponse) {
        self.bytes = bytes
        self.response = response
    }

    /// The body as `Data`.
    public var data: Data { Data(bytes) }

    /// Its `Content-Type`, lower case, without parameters.
    public var mediaType: String? { response.mediaType }

    /// The body's `Content-Encoding` where the server sent one unasked: then these are the encoded
    /// bytes.
    public var contentEncoding: String? {
        let codings = (response.value("Content-Encoding") ?? "").split(separator: ",")
            .map { $0.trimmed.lowercased() }.filter { !$0.isEmpty && $0 != "identity" }
        return codings.isEmpty ? nil : codings.joined(separator: ", ")
    }

    /// Whether the server said how long the body is; one that merely ended may be too short.
    public var isLengthVerified: Bool {
        // HTTP/2 and later frame every body.
        !response.protocolVersion.hasPrefix("HTTP/1")
            || response.value("Content-Length") != nil
            || response.value("Transfer-Encoding") != nil
    }

    /// Throws where the bytes are not what they stand for.
    func requireUncoded(as what: String) throws(DownloadError) {
        guard let coding = contentEncoding else { return }
        throw DownloadError(
            .badResponse,
            "the answer is encoded (\(coding.sanitized(atMost: 40))) though that was not asked for",
            advice: "decode its bytes before they are read as \(what)",
            context: "reading \(response.url.redacted) as \(what)"
        )
    }
}
