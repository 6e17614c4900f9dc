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
        fragment = Self.cut(&rest, at: "#")
        query = Self.cut(&rest, at: "?")
        scheme = Self.takeScheme(&rest)
        if rest.unicodeScalars.starts(with: "//".unicodeScalars) {
            rest.unicodeScalars.removeFirst(2)
            let slash = rest.unicodeScalars.firstIndex(of: "/") ?? rest.endIndex
            readAuthority(rest[..<slash])
            rest = rest[slash...]
        }
        path = String(rest)
    }

    package var text: String {
        var text = scheme.map { "\($0):" } ?? ""
        if let host {
            text += "//" + (userInfo.map { "\($0)@" } ?? "") + host
            text += port.map { ":\($0)" } ?? ""
        }
        text += path
        text += query.map { "?\($0)" } ?? ""
        text += fragment.map { "#\($0)" } ?? ""
        return text
    }

    /// Cuts off what is behind the first `delimiter`.
    private static func cut(_ rest: inout Substring, at delimiter: Unicode.Scalar) -> String? {
        guard let index = rest.unicodeScalars.firstIndex(of: delimiter) else { return nil }
        let behind = String(rest.unicodeScalars[index...].dropFirst())
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
