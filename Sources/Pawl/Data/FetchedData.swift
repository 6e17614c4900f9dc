public import FoundationEssentials
public import PawlCore
internal import PawlEngine

extension ErrorResponse {
    /// The response and its body, to be read as text or JSON:
    /// `error.errorResponse?.content.json(Problem.self)`.
    public var content: FetchedData { FetchedData(body, response) }
}

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

    /// The body's `Content-Encoding`, if the bytes are the encoded ones.
    ///
    /// It is `nil` if the body was decoded, which is the default
    /// (``DownloadRequest/decodesContent``).
    public var contentEncoding: String? {
        guard !response.isContentDecoded else { return nil }
        let codings = (response.value("Content-Encoding") ?? "").split(separator: ",")
            .map { $0.trimmed.lowercased() }.filter { !$0.isEmpty && $0 != "identity" }
        return codings.isEmpty ? nil : codings.joined(separator: ", ")
    }

    /// Whether the server announced the length of the body.
    ///
    /// Without it, the body may be too short.
    public var isLengthVerified: Bool {
        BodyFraming.isVerified(response.fields, response.protocolVersion)
    }

    // MARK: - JSON

    /// Decodes the body from JSON.
    ///
    /// ```swift
    /// let release = try await session.data(from: url).json(Release.self)
    /// ```
    ///
    /// - Throws: `DownloadError` that names the location of the mistake in the document.
    public func json<Value: Decodable>(
        _ type: Value.Type = Value.self,
        decoder: JSONDecoder = JSONDecoder()
    ) throws(DownloadError) -> Value {
        try requireUncoded(as: "JSON")
        do {
            return try decoder.decode(type, from: data)
        } catch {
            throw DownloadError(
                .badResponse,
                "the response is not the expected JSON: \(Self.fault(error))",
                advice: "check the URL and the response's header fields",
                context: "reading \(response.url.redacted) as JSON"
            )
        }
    }

    private static func fault(_ error: any Error) -> String {
        switch error as? DecodingError {
        case .keyNotFound(let key, let context):
            return "\(location(context.codingPath)) has no '\(key.stringValue)'"
        case .valueNotFound(let type, let context):
            return "\(location(context.codingPath)) is null instead of \(type)"
        case .typeMismatch(let type, let context):
            return "\(location(context.codingPath)) is not of type \(type)"
        case .dataCorrupted(let context):
            guard !context.codingPath.isEmpty else { return context.debugDescription }
            return "\(location(context.codingPath)) is not valid: \(context.debugDescription)"
        default: return "it could not be decoded"
        }
    }

    /// Returns a location such as `users[3].name`.
    private static func location(_ path: [any CodingKey]) -> String {
        guard !path.isEmpty else { return "the document" }
        return path.reduce(into: "") { text, key in
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                text += text.isEmpty ? key.stringValue : ".\(key.stringValue)"
            }
        }
    }

    // MARK: - Text

    /// Decodes the body as text.
    ///
    /// The encoding is the given one; otherwise the one that a byte order mark (BOM) shows;
    /// otherwise the `charset` of the `Content-Type`; otherwise UTF-8. A `charset` is read as
    /// browsers read it: ISO-8859-1 and ASCII mean Windows-1252. A mark is not part of the text.
    ///
    /// All labels of the Encoding Standard are supported, such as `gb18030`, `gbk`, `big5`,
    /// `shift_jis`, `euc-kr`, `koi8-r` and `windows-1251`, and the corresponding values of
    /// `String.Encoding`. Encodings other than Unicode, ISO-8859-1 and Windows-1252 are converted
    /// by the C library (iconv).
    ///
    /// - Throws: `DownloadError` if the bytes are not valid in that encoding, or the encoding is
    ///   not known or not installed.
    public func string(encoding: String.Encoding? = nil) throws(DownloadError) -> String {
        try requireUncoded(as: "text")
        let found: (name: String, text: String?)
        if let encoding {
            found = try decoded(as: encoding)
        } else {
            found = try decodedByItself()
        }
        guard let text = found.text else {
            throw DownloadError(
                .badResponse,
                "the bytes are not \(found.name)",
                advice: "give the right encoding",
                context: context("text")
            )
        }
        return text
    }

    private func context(_ what: String) -> String { "reading \(response.url.redacted) as \(what)" }

    private func decodedByItself() throws(DownloadError) -> (name: String, text: String?) {
        if let (coding, _) = TextCoding.marked(bytes) {
            return ("valid in the encoding of their mark", coding.decode(bytes))
        }
        guard let label = response.textEncodingName else {
            return ("UTF-8", TextCoding.utf8.decode(bytes))
        }
        let name = label.sanitized(atMost: 40)
        if let coding = TextCoding(label: label) { return (name, coding.decode(bytes)) }
        guard let charset = SystemCharset(label: label) else {
            throw unknown("the server reports the unknown encoding '\(name)'")
        }
        return (name, try decoded(by: charset))
    }

    private func unknown(_ what: String) -> DownloadError {
        DownloadError(
            .badResponse,
            what,
            advice: "give another encoding, or read the bytes",
            context: context("text")
        )
    }

    private func decoded(by charset: SystemCharset) throws(DownloadError) -> String? {
        switch charset.decode(bytes) {
        case .text(let text): return text
        case .invalid: return nil
        case .missing:
            throw unknown("this system cannot convert the encoding \(charset.name)")
        }
    }

    private func decoded(
        as encoding: String.Encoding
    ) throws(DownloadError) -> (name: String, text: String?) {
        let name = "valid in the given encoding"
        if let coding = coding(encoding) { return (name, coding.decode(bytes)) }
        if let charset = SystemCharset(encoding) { return (name, try decoded(by: charset)) }
        return (name, String(bytes: bytes, encoding: encoding))
    }

    private func coding(_ encoding: String.Encoding) -> TextCoding? {
        switch encoding {
        case .utf8: .utf8
        case .ascii: .ascii
        case .isoLatin1: .latin1
        case .windowsCP1252: .windows1252
        case .utf16BigEndian: .utf16BigEndian
        case .utf16LittleEndian: .utf16LittleEndian
        case .utf16:
            // The byte order mark of another encoding does not count.
            TextCoding.marked(bytes)?.coding == .utf16BigEndian
                ? .utf16BigEndian : .utf16LittleEndian
        default: nil
        }
    }

    /// Throws if the bytes are encoded.
    private func requireUncoded(as what: String) throws(DownloadError) {
        guard let coding = contentEncoding else { return }
        throw DownloadError(
            .badResponse,
            "the body is still encoded (\(coding.sanitized(atMost: 40)))",
            advice: "decode its bytes before you read them as \(what)",
            context: "reading \(response.url.redacted) as \(what)"
        )
    }
}
