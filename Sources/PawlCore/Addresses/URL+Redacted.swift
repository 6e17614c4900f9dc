package import struct FoundationEssentials.URL

extension URL {
    /// The URL as it may be shown and stored: without user and fragment, the values of parameters
    /// hidden unless ``QueryRedaction`` knows them as harmless, fit for a terminal.
    ///
    /// Every log, listing, record and checkpoint shows URLs in this form.
    package var redacted: String {
        let text = absoluteString
        // Without a user, parameters, a query and a fragment there is nothing to hide.
        let mayHide = text.utf8.contains { byte in
            byte == UInt8(ascii: "@") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
                || byte == UInt8(ascii: ";")
        }
        guard mayHide else { return text.sanitized }
        return AddressParts(text).redacted
    }
}

extension AddressParts {
    package var redacted: String {
        var parts = self
        parts.userInfo = nil
        parts.fragment = nil
        parts.path = PathRedaction.redacted(path)
        parts.query = query.map(QueryRedaction.redacted)
        return parts.text.sanitized
    }
}
