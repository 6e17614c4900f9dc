package import struct FoundationEssentials.URL

/// A URL's text split at its delimiters (RFC 3986 appendix B).
///
/// Nothing is decoded or refused: it also parses what users and servers send before it is known to
/// be a URL.
package struct AddressParts: Hashable, Sendable {
    package var scheme: String?
    package var userInfo: String?
    /// The host, with the brackets of an IPv6 address; `nil` if there is no authority.
    package var host: String?
    package var port: String?
    package var path = ""
    package var query: String?
    package var fragment: String?

    package init(_ text: String) {
        var text = text
        self = text.withUTF8 { AddressParts($0[...]) }
    }

    private typealias Bytes = Slice<UnsafeBufferPointer<UInt8>>

    private init(_ bytes: Bytes) {
        var rest = bytes
        fragment = Self.cut(&rest, at: UInt8(ascii: "#"))
        query = Self.cut(&rest, at: UInt8(ascii: "?"))
        scheme = Self.takeScheme(&rest)
        if rest.starts(with: "//".utf8) {
            rest = rest.dropFirst(2)
            let slash = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            readAuthority(rest[..<slash])
            rest = rest[slash...]
        }
        path = Self.string(rest)
    }

    package var text: String {
        var text = ""
        if let scheme { text += scheme + ":" }
        if let host {
            text += "//"
            if let userInfo { text += userInfo + "@" }
            text += host
            if let port { text += ":" + port }
        }
        text += path
        if let query { text += "?" + query }
        if let fragment { text += "#" + fragment }
        return text
    }

    private static func string(_ bytes: Bytes) -> String { String(decoding: bytes, as: UTF8.self) }

    /// Cuts off the part after the first `delimiter`.
    private static func cut(_ rest: inout Bytes, at delimiter: UInt8) -> String? {
        guard let index = rest.firstIndex(of: delimiter) else { return nil }
        defer { rest = rest[..<index] }
        return string(rest[(index + 1)...])
    }

    private static func takeScheme(_ rest: inout Bytes) -> String? {
        guard let colon = rest.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let name = rest[..<colon]
        let isScheme = name.allSatisfy { $0.isLetter || $0.isDigit || "+-.".utf8.contains($0) }
        guard let first = name.first, first.isLetter, isScheme else { return nil }
        rest = rest[(colon + 1)...]
        return string(name)
    }

    /// Parses the authority.
    ///
    /// The user's part ends at the last `@`, because a password may contain one.
    private mutating func readAuthority(_ authority: Bytes) {
        var rest = authority
        if let sign = rest.lastIndex(of: UInt8(ascii: "@")) {
            userInfo = Self.string(rest[..<sign])
            rest = rest[(sign + 1)...]
        }
        let bracket = rest.lastIndex(of: UInt8(ascii: "]")) ?? rest.startIndex
        if let colon = rest[bracket...].lastIndex(of: UInt8(ascii: ":")) {
            port = Self.string(rest[(colon + 1)...])
            rest = rest[..<colon]
        }
        host = Self.string(rest)
    }

    /// The text as it may be shown and stored.
    ///
    /// Applying it twice changes nothing more.
    package var redacted: String {
        if let data = DataURL.redacted(self) { return data }
        var parts = hasClearAuthority ? self : Self.withoutUser(text)
        parts.userInfo = nil
        parts.fragment = nil
        // If a text is cut before its `@`, the password is parsed as the port.
        if let port = parts.port, !port.utf8.allSatisfy(\.isDigit) {
            parts.port = QueryRedaction.mark
        }
        parts.path = PathRedaction.redacted(parts.path)
        parts.query = parts.query.map(QueryRedaction.redacted)
        return parts.text.sanitized
    }

    /// Whether it is certain where the user's part ends.
    private var hasClearAuthority: Bool {
        switch host {
        case nil: scheme == nil && (path.isAbsolutePath || !path.utf8.contains(UInt8(ascii: "@")))
        case "": scheme?.lowercased() == "file"
        default: hasUsableHost && hasUsablePort
        }
    }

    /// Returns the parts of the text after its last `@`, with the scheme if it is that of a source.
    ///
    /// This is for a text that is not a valid URL: a password with an unescaped `/`, `?` or `#` is
    /// parsed as a host and a path.
    package static func withoutUser(_ text: String) -> AddressParts {
        guard let sign = text.utf8.lastIndex(of: UInt8(ascii: "@")) else {
            return AddressParts(text)
        }
        let rest = text[text.utf8.index(after: sign)...]
        let scheme = URLScheme(of: AddressParts(text).scheme)
        return AddressParts((scheme.map { "\($0.rawValue)://" } ?? "") + rest)
    }

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

    /// Whether the host is that of a `file:` URL of this computer (RFC 8089 §2).
    package var namesThisComputer: Bool {
        userInfo == nil && port == nil && ["", "localhost"].contains(host?.lowercased() ?? "")
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
        if parts.scheme == URLScheme.file.rawValue { parts.host = "" }
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
