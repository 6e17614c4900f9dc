package import struct FoundationEssentials.URL

extension URL {
    /// The URL as it may be shown and stored: without user and fragment, safe for a terminal, and
    /// with the values of parameters hidden unless ``QueryRedaction`` knows them to be harmless.
    ///
    /// Every log, listing, record and checkpoint shows URLs in this form.
    package var redacted: String {
        let text = absoluteString
        // Without a user, parameters, a query or a fragment there is nothing to hide.
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
