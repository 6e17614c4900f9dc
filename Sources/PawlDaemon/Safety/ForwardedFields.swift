package import PawlCore

/// What the fields of a request report about the proxies that it has passed (pure): `Forwarded` (RFC
/// 7239), or `X-Forwarded-For`, `X-Forwarded-Proto` and `X-Forwarded-Host`.
package struct ForwardedFields: Sendable, Hashable {
    /// One step of a request: who sent it to a proxy, and how.
    package struct Hop: Sendable, Hashable {
        /// The address of the sender; `nil` if it is unknown or hidden.
        package var address: IPAddress?
        package var scheme: String?
        package var host: String?
    }

    /// The hops, the client first.
    package let hops: [Hop]

    private static let mostHops = 32

    /// Reads the values of the fields, each in the order of the request.
    ///
    /// If there are fields of both kinds, one of them comes from the client, and there is no hop. Nor
    /// is there one if a value of `Forwarded` is not well formed: the client may have begun a text that
    /// hides what the proxies have added.
    package init(
        forwarded: [String] = [],
        addresses: [String] = [],
        schemes: [String] = [],
        hosts: [String] = []
    ) {
        if addresses.isEmpty, schemes.isEmpty, hosts.isEmpty {
            hops = Self.hops(forwarded)
            return
        }
        guard forwarded.isEmpty else {
            hops = []
            return
        }
        var hops = Self.list(addresses).suffix(Self.mostHops).map {
            Hop(address: Self.address($0))
        }
        if hops.isEmpty { hops = [Hop()] }
        // Proxies append to the first field only; they replace the others.
        for index in hops.indices {
            (hops[index].scheme, hops[index].host) = (
                Self.list(schemes).last?.lowercased(), Self.list(hosts).last?.lowercased()
            )
        }
        self.hops = hops
    }

    private static func list(_ values: [String]) -> [String] {
        values.flatMap { $0.split(separator: ",") }.map { String($0.trimmed(of: " \t")) }
    }

    // MARK: - Forwarded

    /// Returns the hops of all values; none if a value is not well formed.
    private static func hops(_ values: [String]) -> [Hop] {
        var hops: [Hop] = []
        for value in values {
            guard let elements = elements(value, separator: ",") else { return [] }
            for element in elements {
                guard let hop = hop(element) else { return [] }
                hops.append(hop)
            }
        }
        return hops.suffix(mostHops)
    }

    /// Splits a text at a separator that is not within quotation marks; returns `nil` if a quotation
    /// does not end.
    ///
    /// A list may have empty elements (RFC 9110 §5.6.1).
    private static func elements(_ text: String, separator: Character) -> [String]? {
        var elements = [""]
        var isQuoted = false
        var isEscaped = false
        for character in text {
            if character == separator, !isQuoted {
                elements.append("")
                continue
            }
            if character == "\"", !isEscaped { isQuoted.toggle() }
            isEscaped = isQuoted && character == "\\" && !isEscaped
            elements[elements.count - 1].append(character)
        }
        guard !isQuoted else { return nil }
        return elements.map { String($0[...].trimmed(of: " \t")) }.filter { !$0.isEmpty }
    }

    /// Reads the pairs of an element; returns `nil` if one of them is not well formed, or is there
    /// twice.
    private static func hop(_ element: String) -> Hop? {
        guard let pairs = elements(element, separator: ";") else { return nil }
        var hop = Hop()
        var names: Set<String> = []
        for pair in pairs {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, isToken(parts[0]), let value = value(parts[1]),
                names.insert(parts[0].lowercased()).inserted
            else { return nil }
            switch parts[0].lowercased() {
            case "for": hop.address = address(value)
            case "proto": hop.scheme = value.lowercased()
            case "host": hop.host = value.lowercased()
            default: break
            }
        }
        return hop
    }

    /// Whether a text is a name (RFC 9110 §5.6.2).
    private static func isToken(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { tokenBytes.contains($0) }
    }

    private static let tokenBytes = Set(
        "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8
    )

    /// Returns the value of a pair; `nil` if it is not well formed.
    ///
    /// Proxies write addresses with ports and brackets without the quotation marks that they need.
    private static func value(_ text: Substring) -> String? {
        guard text.first == "\"" else {
            return text.contains { $0 == "\"" || $0.isWhitespace || $0 == "\\" }
                ? nil : String(text)
        }
        var value = ""
        var isEscaped = false
        var rest = text.dropFirst()
        while let character = rest.popFirst() {
            if !isEscaped, character == "\"" { return rest.isEmpty ? value : nil }
            isEscaped = character == "\\" && !isEscaped
            if !isEscaped { value.append(character) }
        }
        return nil
    }

    /// Parses an address with or without a port.
    private static func address(_ text: String) -> IPAddress? {
        if let address = IPAddress(text) { return address }
        guard let colon = text.lastIndex(of: ":"), !text.hasSuffix("]") else { return nil }
        return IPAddress(String(text[..<colon]))
    }
}
