/// A URL that contains the bytes themselves (RFC 2397).
package struct DataURL: Hashable, Sendable {
    /// The maximum size of such a URL, which is part of each request, list and checkpoint.
    static let mostBytes = 1 << 20

    /// The media type with its parameters.
    package let mediaType: String
    package let bytes: [UInt8]

    /// Returns `nil` if it is not such a URL, or if its bytes are not validly encoded.
    package init?(_ parts: AddressParts) {
        guard URLScheme(of: parts.scheme) == .data, parts.host == nil,
            let (head, encoded) = Self.split(parts)
        else { return nil }
        let mark = ";base64"
        let isBase64 = head.lowercased().hasSuffix(mark)
        let type = isBase64 ? head.dropLast(mark.count) : head
        switch type {
        case "": mediaType = "text/plain;charset=US-ASCII"
        case _ where type.hasPrefix(";"): mediaType = "text/plain" + type
        default: mediaType = String(type)
        }
        guard isBase64 else {
            bytes = encoded.percentDecodedBytes
            return
        }
        let text = encoded.percentDecoded.filter { !$0.isWhitespace }
        guard let decoded = [UInt8](base64: text) else { return nil }
        bytes = decoded
    }

    /// Returns the URL without the bytes, which may be many; `nil` if it is not such a URL.
    ///
    /// A checksum tells URLs with different bytes apart.
    static func redacted(_ parts: AddressParts) -> String? {
        guard URLScheme(of: parts.scheme) == .data, parts.host == nil,
            let (head, encoded) = split(parts)
        else { return nil }
        let mark = QueryRedaction.mark + "-"
        let isRedacted = encoded.hasPrefix(mark)
        let sum = String(CyclicChecksum.of(encoded.utf8), radix: 16)
        let hidden = isRedacted ? encoded : "\(mark)\(sum)"[...]
        return "data:\(head),\(hidden)".sanitized(atMost: 200)
    }

    /// Returns the parts before and after the first comma; what follows a `?` belongs to the path.
    private static func split(_ parts: AddressParts) -> (head: Substring, encoded: Substring)? {
        let text = parts.path + (parts.query.map { "?\($0)" } ?? "")
        guard let comma = text.firstIndex(of: ",") else { return nil }
        return (text[..<comma], text[text.index(after: comma)...])
    }
}
