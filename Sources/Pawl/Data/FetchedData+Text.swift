public import FoundationEssentials
public import PawlCore

extension FetchedData {
    /// Decodes the body as text.
    ///
    /// The encoding is the given one, otherwise that of a mark at the beginning (BOM), otherwise
    /// the `charset` of the `Content-Type`, otherwise UTF-8. A `charset` is read as browsers read
    /// it: ISO-8859-1 and ASCII mean Windows-1252. A mark is not part of the text.
    ///
    /// Supported are UTF-8, UTF-16, ISO-8859-1, ASCII, Windows-1252, and the others of
    /// `String.init(bytes:encoding:)`.
    ///
    /// - Throws: `DownloadError` if the bytes are not valid in that encoding, or the encoding is
    ///   not known.
    public func string(encoding: String.Encoding? = nil) throws(DownloadError) -> String {
        try requireUncoded(as: "text")
        let found: (name: String, text: String?)
        if let encoding { found = decoded(as: encoding) } else { found = try decodedByItself() }
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
        guard let label = charset else { return ("UTF-8", TextCoding.utf8.decode(bytes)) }
        let name = label.sanitized(atMost: 40)
        guard let coding = TextCoding(label: label) else {
            throw DownloadError(
                .badResponse,
                "the server reports the unknown encoding '\(name)'",
                advice: "give another encoding, or read the bytes",
                context: context("text")
            )
        }
        return (name, coding.decode(bytes))
    }

    private var charset: String? {
        response.value("Content-Type").flatMap { MediaTypeParameter.value("charset", in: $0) }
    }

    private func decoded(as encoding: String.Encoding) -> (name: String, text: String?) {
        let name = "valid in the given encoding"
        guard let coding = coding(encoding) else {
            return (name, String(bytes: bytes, encoding: encoding))
        }
        return (name, coding.decode(bytes))
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
            // A mark of another encoding does not belong to this one.
            TextCoding.marked(bytes)?.coding == .utf16BigEndian
                ? .utf16BigEndian : .utf16LittleEndian
        default: nil
        }
    }
}
