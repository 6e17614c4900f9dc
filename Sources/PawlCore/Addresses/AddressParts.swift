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
}
