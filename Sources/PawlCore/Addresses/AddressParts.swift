/// A URL's text taken apart at its delimiters (RFC 3986 appendix B); nothing is decoded, and
/// nothing is refused: it reads what users and servers send before it is known to be a URL.
package struct AddressParts: Hashable, Sendable {
    package var scheme: String?
    package var userInfo: String?
    /// With the brackets of an IPv6 address; nil where there is no authority.
    package var host: String?
    package var port: String?
    package var path = ""
    package var query: String?
    package var fragment: String?

    package init(_ text: String) {
        var rest = Substring(text)
        fragment = Self.cut(&rest, at: UInt8(ascii: "#"))
        query = Self.cut(&rest, at: UInt8(ascii: "?"))
        scheme = Self.takeScheme(&rest)
        if rest.utf8.starts(with: "//".utf8) {
            rest = rest[rest.utf8.index(rest.startIndex, offsetBy: 2)...]
            let slash = rest.utf8.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            readAuthority(rest[..<slash])
            rest = rest[slash...]
        }
        path = String(rest)
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

    /// Cuts off what is behind the first `delimiter`.
    private static func cut(_ rest: inout Substring, at delimiter: UInt8) -> String? {
        guard let index = rest.utf8.firstIndex(of: delimiter) else { return nil }
        let behind = String(rest[rest.utf8.index(after: index)...])
        rest = rest[..<index]
        return behind
    }

    private static func takeScheme(_ rest: inout Substring) -> String? {
        guard let colon = rest.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let name = rest[..<colon]
        let isScheme = name.utf8.allSatisfy { $0.isLetter || $0.isDigit || "+-.".utf8.contains($0) }
        guard let first = name.utf8.first, first.isLetter, isScheme else { return nil }
        rest = rest[rest.utf8.index(after: colon)...]
        return String(name)
    }

    /// The user's part ends at the last `@`: a password may hold one.
    private mutating func readAuthority(_ authority: Substring) {
        var rest = authority
        if let sign = rest.utf8.lastIndex(of: UInt8(ascii: "@")) {
            userInfo = String(rest[..<sign])
            rest = rest[rest.utf8.index(after: sign)...]
        }
        let bracket = rest.utf8.lastIndex(of: UInt8(ascii: "]")) ?? rest.startIndex
        if let colon = rest[bracket...].utf8.lastIndex(of: UInt8(ascii: ":")) {
            port = String(rest[rest.utf8.index(after: colon)...])
            rest = rest[..<colon]
        }
        host = String(rest)
    }
}
