public import FoundationEssentials
public import PawlCore

extension FetchedData {
    /// The body as text.
    ///
    /// Its coding is the one given, else what a mark at its beginning says (BOM), else the `charset`
    /// of its `Content-Type`, else UTF-8. A `charset` is read as browsers read it: ISO-8859-1 and
    /// ASCII are Windows-1252. A mark is not part of the text.
    ///
    /// Known are UTF-8, UTF-16, ISO-8859-1, ASCII, Windows-1252, and what else
    /// `String.init(bytes:encoding:)` knows.
    ///
    /// - Throws: `DownloadError` where the bytes are not of that coding, or it is not known.
    public func string(encoding: String.Encoding? = nil) throws(DownloadError) -> String {
        try requireUncoded(as: "text")
        let found: (name: String, text: String?)
        if let encoding { found = decoded(as: encoding) } else { found = try decodedByItself() }
        guard let text = found.text else {
            throw DownloadError(
                .badResponse,
                "the bytes are not \(found.name)",
                advice: "name the encoding that they have",
                context: context("text")
            )
        }
        return text
    }

    private func context(_ what: String) -> String { "reading \(response.url.redacted) as \(what)" }

    private func decodedByItself() throws(DownloadError) -> (name: String, text: String?) {
        if let (coding, _) = TextCoding.marked(bytes) {
            return ("text of the coding that they are marked with", coding.decode(bytes))
        }
        guard let label = charset else { return ("UTF-8", TextCoding.utf8.decode(bytes)) }
        let name = label.sanitized(atMost: 40)
        guard let coding = TextCoding(label: label) else {
            throw DownloadError(
                .badResponse,
                "the server says that the text is coded as '\(name)', which is not known",
                advice: "name another encoding, or read the bytes",
                context: context("text")
            )
        }
        return (name, coding.decode(bytes))
    }

    private var charset: String? {
        response.value("Content-Type").flatMap { MediaTypeParameter.value("charset", in: $0) }
    }

    private func decoded(as encoding: String.Encoding) -> (name: String, text: String?) {
        let name = "text of the encoding that was named"
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
            // A mark of another coding is none of this one's.
            TextCoding.marked(bytes)?.coding == .utf16BigEndian
                ? .utf16BigEndian : .utf16LittleEndian
        default: nil
        }
    }
}
