/// Mail's `=?UTF-8?B?…?=` (RFC 2047), which HTTP does not allow but servers send.
enum EncodedWord {
    /// Returns the text with its encoded words decoded, or unchanged if one of them is malformed.
    static func decodeAll(_ text: String) -> String {
        guard text.hasPrefix("=?") else { return text }
        let decoded = text.split(separator: " ").map { decode($0) }
        guard decoded.allSatisfy({ $0 != nil }) else { return text }
        return decoded.compactMap(\.self).joined()
    }

    private static func decode(_ word: Substring) -> String? {
        guard word.hasPrefix("=?"), word.hasSuffix("?="), word.utf8.count > 4 else { return nil }
        let parts = word.dropFirst(2).dropLast(2).split(
            separator: "?",
            omittingEmptySubsequences: false
        )
        guard parts.count == 3, let bytes = bytes(parts[2], encoding: parts[1]) else { return nil }
        return String(bytes, charset: String(parts[0]))
    }

    private static func bytes(_ text: Substring, encoding: Substring) -> [UInt8]? {
        switch encoding.uppercased() {
        case "B": return [UInt8](base64: String(text))
        case "Q":
            let spaced = String(text.map { $0 == "_" ? " " : $0 })
            return spaced.percentDecodedBytes(marker: UInt8(ascii: "="))
        default: return nil
        }
    }
}
