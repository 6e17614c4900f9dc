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
        guard mayHide || URLScheme(of: scheme) == .data else { return text.sanitized }
        return AddressParts(text).redacted
    }

    /// The URL as it may be stored with a finished file, which is passed on with it: as ``redacted``,
    /// and also without the parts of the path that may be secret tokens (``PathTokens``).
    package var recorded: String {
        var parts = AddressParts(redacted)
        let path = PathTokens.redacted(parts.path)
        guard path != parts.path else { return redacted }
        parts.path = path
        return parts.text
    }

    /// The host as written in a URL: in lower case, without the port, with brackets for an IPv6
    /// address (RFC 3986 §3.2.2).
    package var shownHost: String? {
        guard let host = host()?.lowercased() else { return nil }
        let isBare = host.utf8.contains(UInt8(ascii: ":")) && host.utf8.first != UInt8(ascii: "[")
        return isBare ? "[\(host)]" : host
    }
}
