package import struct FoundationEssentials.URL

extension URL {
    /// The URL as it may be shown and stored: without user and fragment, the values of parameters
    /// that look secret hidden, fit for a terminal.
    package var redacted: String {
        let text = absoluteString
        // Without a user, a query and a fragment there is nothing to hide.
        let mayHide = text.utf8.contains { byte in
            byte == UInt8(ascii: "@") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
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
        parts.query = query.map(Self.redactedQuery)
        return parts.text.sanitized
    }

    private static func redactedQuery(_ query: String) -> String {
        query.split(separator: "&", omittingEmptySubsequences: false)
            .map { parameter in
                guard let equals = parameter.firstIndex(of: "="),
                    SecretField.isSecretParameter(parameter[..<equals].percentDecoded)
                else { return String(parameter) }
                return parameter[...equals] + "REDACTED"
            }
            .joined(separator: "&")
    }
}
