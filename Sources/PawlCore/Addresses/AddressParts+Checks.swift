package import struct FoundationEssentials.URL

extension AddressParts {
    /// Whether the host is a name, an IPv4 address, or an IPv6 address in brackets.
    ///
    /// Percent-encoding is not accepted: two spellings of one host would be two origins here and
    /// one elsewhere. From other scripts only letters, marks and digits are accepted: some of their
    /// symbols become `/` or `.` when the name is prepared for DNS (UTS #46).
    package var hasUsableHost: Bool {
        guard let host, !host.isEmpty else { return false }
        if host.hasPrefix("[") {
            return host.hasSuffix("]") && host.utf8.count > 3
                && host.dropFirst().dropLast().utf8.allSatisfy { $0.isAddressByte }
        }
        return host.unicodeScalars.allSatisfy(\.isHostScalar)
    }

    /// Whether the port is absent, empty, or 1 to 65535.
    package var hasUsablePort: Bool {
        guard let port, !port.isEmpty else { return true }
        guard port.isAllDigits, let number = Int(port) else { return false }
        return (1...65_535).contains(number)
    }

    /// The URL to request; `nil` if the text is not a valid URL.
    package var requestURL: URL? { URL(string: requestText) }

    /// The URL to request, as text.
    ///
    /// Its scheme is in lower case, it has neither user nor fragment (RFC 9110 §4.2.4, §7.1), and
    /// illegal characters are percent-encoded.
    package var requestText: String {
        var parts = self
        parts.scheme = scheme?.lowercased()
        parts.userInfo = nil
        parts.fragment = nil
        parts.port = port.flatMap { $0.isEmpty ? nil : $0 }
        parts.path = path.isEmpty ? "/" : path.encodingIllegalURLBytes
        parts.query = query?.encodingIllegalURLBytes
        return parts.text
    }
}

extension UInt8 {
    /// Whether the byte may occur in an IPv6 address.
    fileprivate var isAddressByte: Bool {
        isDigit || (isLetter && self | 0x20 <= UInt8(ascii: "f")) || ":.".utf8.contains(self)
    }
}

extension Unicode.Scalar {
    fileprivate var isHostScalar: Bool {
        if let byte = UInt8(exactly: value), isASCII {
            return byte.isLetter || byte.isDigit || "-._".utf8.contains(byte)
        }
        return switch properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
            .nonspacingMark, .spacingMark, .decimalNumber:
            true
        default: false
        }
    }
}
