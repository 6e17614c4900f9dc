internal import PawlCore

/// The encoding that an XML document declares (XML 1.0 §4.3.3).
enum XMLEncoding {
    /// The encodings that libexpat reads by itself.
    private static let builtIn: Set = [
        "utf-8", "utf-16", "utf-16be", "utf-16le", "iso-8859-1", "us-ascii",
    ]
    /// The maximum length of the declaration.
    private static let mostBytes = 256

    /// The result of a conversion.
    enum Outcome {
        /// libexpat can read the document, or reports that it does not know the encoding.
        case same
        /// The document in UTF-8.
        case converted([UInt8])
        /// The document is not valid in the encoding with this name.
        case invalid(String)
    }

    /// Converts a document to UTF-8 if it declares an encoding that libexpat does not know.
    static func convert(_ bytes: [UInt8]) -> Outcome {
        guard let label = declared(in: bytes)?.lowercased(), !builtIn.contains(label) else {
            return .same
        }
        let name = label.sanitized(atMost: 40)
        if let coding = TextCoding(label: label) {
            guard let text = coding.decode(bytes) else { return .invalid(name) }
            return .converted(Array(text.utf8))
        }
        switch SystemCharset(label: label)?.decode(bytes) {
        case .text(let text): return .converted(Array(text.utf8))
        case .invalid: return .invalid(name)
        case .missing, nil: return .same
        }
    }

    /// Returns the name of the encoding in the declaration of a document whose declaration is in
    /// ASCII; `nil` if there is none.
    static func declared(in bytes: [UInt8]) -> String? {
        let head = String(
            decoding: bytes.prefix(mostBytes).prefix { $0 != UInt8(ascii: ">") },
            as: UTF8.self
        )
        guard head.hasPrefix("<?xml"), let name = head.firstRange(of: "encoding") else {
            return nil
        }
        var rest = head[name.upperBound...].drop(while: \.isWhitespace)
        guard rest.popFirst() == "=" else { return nil }
        rest = rest.drop(while: \.isWhitespace)
        guard let quote = rest.popFirst(), quote == "\"" || quote == "'",
            let end = rest.firstIndex(of: quote)
        else { return nil }
        return String(rest[..<end])
    }
}
