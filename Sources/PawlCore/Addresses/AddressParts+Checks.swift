package import struct FoundationEssentials.URL

extension AddressParts {
    /// A name, an IPv4 address, or an IPv6 address in brackets.
    ///
    /// No percent-encoding: two spellings of one host would be two origins here and one there. Of
    /// other scripts letters, marks and digits only: some of their signs become `/` or `.` where
    /// the name is made ready for DNS (UTS #46).
    package var hasUsableHost: Bool {
        guard let host, !host.isEmpty else { return false }
        if host.hasPrefix("[") {
            return host.hasSuffix("]") && host.utf8.count > 3
                && host.dropFirst().dropLast().utf8.allSatisfy { $0.isAddressByte }
        }
        return host.unicodeScalars.allSatisfy(\.isHostScalar)
    }

    /// None, an empty one, or 1 to 65535.
    package var hasUsablePort: Bool {
        guard let port, !port.isEmpty else { return true }
        guard port.isAllDigits, let number = Int(port) else { return false }
        return (1...65_535).contains(number)
    }

    /// The URL to ask for; nil where none can be made of it.
    package var requestURL: URL? { URL(string: requestText) }

    /// The URL to ask for, as text.
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
    /// Of an IPv6 address.
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
