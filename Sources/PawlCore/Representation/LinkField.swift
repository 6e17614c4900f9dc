/// One link of a `Link` field (RFC 8288 §3).
package struct LinkField: Hashable, Sendable {
    /// The target, which may be relative to the URL of the response.
    package var target: String
    /// The other parameters by name, in lower case; the first one of a name counts.
    package var parameters: [String: String] = [:]

    /// The relation types, in lower case.
    package var relations: [String] {
        (parameters["rel"] ?? "").lowercased().split(separator: " ").map(String.init)
    }

    /// The maximum number of links of one field that are read.
    private static let most = 1_000

    /// Parses the links of one field; what comes after a mistake is left out.
    package static func parse(_ value: String) -> [LinkField] {
        var scanner = FieldScanner(value)
        var links: [LinkField] = []
        while links.count < most, let link = next(&scanner) { links.append(link) }
        return links
    }

    private static func next(_ scanner: inout FieldScanner) -> LinkField? {
        while scanner.skipWhitespace() || scanner.skip(",") {}
        guard scanner.skip("<") else { return nil }
        var link = LinkField(target: scanner.take { $0 != UInt8(ascii: ">") }.trimmed)
        guard scanner.skip(">") else { return nil }
        while true {
            scanner.skipWhitespace()
            guard scanner.skip(";") else { return link }
            scanner.skipWhitespace()
            let name = scanner.take { !" \t=;,".utf8.contains($0) }.lowercased()
            scanner.skipWhitespace()
            guard scanner.skip("=") else { continue }
            scanner.skipWhitespace()
            let value = scanner.quotedString() ?? scanner.take { !" \t;,".utf8.contains($0) }
            if !name.isEmpty, link.parameters[name] == nil { link.parameters[name] = value }
        }
    }
}
