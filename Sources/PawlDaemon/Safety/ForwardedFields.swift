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
    /// If there are fields of both kinds, one of them comes from the client, and there is no hop.
    package init(
        forwarded: [String] = [],
        addresses: [String] = [],
        schemes: [String] = [],
        hosts: [String] = []
    ) {
        if addresses.isEmpty, schemes.isEmpty, hosts.isEmpty {
            hops = Self.elements(forwarded.joined(separator: ","), separator: ",")
                .suffix(Self.mostHops).map(Self.hop)
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

    /// Splits a text at a separator that is not within quotation marks.
    private static func elements(_ text: String, separator: Character) -> [String] {
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
        return elements.map { String($0[...].trimmed(of: " \t")) }.filter { !$0.isEmpty }
    }

    private static func hop(_ element: String) -> Hop {
        var hop = Hop()
        for pair in elements(element, separator: ";") {
            let parts = pair.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { continue }
            let value = unquoted(parts[1])
            switch parts[0].lowercased() {
            case "for": hop.address = address(value)
            case "proto": hop.scheme = value.lowercased()
            case "host": hop.host = value.lowercased()
            default: break
            }
        }
        return hop
    }

    private static func unquoted(_ value: Substring) -> String {
        guard value.count >= 2, value.hasPrefix("\""), value.hasSuffix("\"") else {
            return String(value)
        }
        var text = ""
        var isEscaped = false
        for character in value.dropFirst().dropLast() {
            isEscaped = character == "\\" && !isEscaped
            if !isEscaped { text.append(character) }
        }
        return text
    }

    /// Parses an address with or without a port.
    private static func address(_ text: String) -> IPAddress? {
        if let address = IPAddress(text) { return address }
        guard let colon = text.lastIndex(of: ":"), !text.hasSuffix("]") else { return nil }
        return IPAddress(String(text[..<colon]))
    }
}
