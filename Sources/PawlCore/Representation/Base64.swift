internal import struct FoundationEssentials.Data

extension Array where Element == UInt8 {
    /// Decodes base64 (RFC 4648 §4) with or without padding; `nil` if the text is not valid.
    package init?(base64 text: String) {
        let missing = (4 - text.utf8.count % 4) % 4
        let padded = text + String(repeating: "=", count: missing)
        guard missing < 3, let data = Data(base64Encoded: padded) else { return nil }
        self.init(data)
    }

    /// The bytes in base64 (RFC 4648 §4).
    package var base64: String { Data(self).base64EncodedString() }
}
