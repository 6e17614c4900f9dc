/// Another server that serves an origin (RFC 7838), as a line of curl's file.
package struct AlternativeService: Hashable, Sendable {
    /// A host and a port.
    package struct Endpoint: Hashable, Sendable {
        /// The name in lower case, or an address; an IPv6 address has brackets.
        package let host: String
        package let port: Int

        /// Creates a value; `nil` for what cannot be a host or a port.
        package init?(_ host: some StringProtocol, port: Int) {
            var name = host.hasSuffix(".") ? String(host.dropLast()) : String(host)
            let isUsable = name.utf8.allSatisfy { byte in
                byte.isDigit || byte.isLetter || "-._:[]".utf8.contains(byte)
            }
            guard !name.isEmpty, name.utf8.count <= AlternativeService.mostHostBytes, isUsable,
                (1...65_535).contains(port)
            else { return nil }
            if name.contains(":"), !name.hasPrefix("[") { name = "[\(name)]" }
            guard !name.contains(where: { ":[]".contains($0) }) || Self.isAddress(name) else {
                return nil
            }
            (self.host, self.port) = (name.lowercased(), port)
        }

        private static func isAddress(_ name: String) -> Bool {
            name.hasPrefix("[") && name.hasSuffix("]")
                && IPAddress(String(name.dropFirst().dropLast())) != nil
        }

        package var text: String { "\(host):\(port)" }
    }

    /// A protocol that an alternative speaks.
    package enum Version: String, Hashable, Sendable, CaseIterable {
        case http1 = "h1"
        case http2 = "h2"
        case http3 = "h3"

        /// Creates the value for a protocol's name in TLS (ALPN), which may be escaped as in a URL;
        /// `nil` for others.
        package init?(alpn: String) {
            switch alpn {
            case "http/1.1", "http%2F1.1", "http%2f1.1", "h1": self = .http1
            case "h2": self = .http2
            case "h3": self = .http3
            default: return nil
            }
        }
    }

    /// The longest name of a host (RFC 1035 §2.3.4).
    private static let mostHostBytes = 255

    package let version: Version
    package let endpoint: Endpoint
    /// The end of the time in seconds since 1970.
    package let expiry: Int64
    /// Whether it stays valid when this machine changes its network.
    package let persists: Bool

    package init(_ version: Version, _ endpoint: Endpoint, expiry: Int64, persists: Bool = false) {
        (self.version, self.endpoint, self.persists) = (version, endpoint, persists)
        // The end of the last year with four digits.
        self.expiry = min(expiry, 253_402_300_799)
    }

    package func hasExpired(at now: Int64) -> Bool { expiry <= now }

    /// Whether another value differs only in its time.
    package func isSame(as other: Self) -> Bool {
        (version, persists) == (other.version, other.persists) && endpoint == other.endpoint
    }

    // MARK: - A line of the file

    /// Parses a line such as
    /// `h2 example.com 443 h3 alt.example.com 8443 "20271231 23:59:59" 0 0`.
    package static func parse(line: some StringProtocol) -> (origin: Endpoint, service: Self)? {
        let parts = String(line).split(separator: "\"", omittingEmptySubsequences: false)
        guard parts.count == 3, let expiry = CurlFileDate.seconds(String(parts[1])) else {
            return nil
        }
        let words = parts[0].split { $0 == " " || $0 == "\t" }.map(String.init)
        let numbers = parts[2].split { $0 == " " || $0 == "\t" }
        guard words.count == 6, numbers.count == 2, Version(rawValue: words[0]) != nil,
            let origin = Int(words[2]).flatMap({ Endpoint(words[1], port: $0) }),
            let version = Version(rawValue: words[3]),
            let endpoint = Int(words[5]).flatMap({ Endpoint(words[4], port: $0) })
        else { return nil }
        let service = Self(version, endpoint, expiry: expiry, persists: numbers[0] == "1")
        return (origin, service)
    }

    /// Returns the line of the file; the first word is the version with which it was learned, which
    /// curl prefers and does not require.
    func line(of origin: Endpoint) -> String {
        "h1 \(origin.host) \(origin.port) \(version.rawValue) \(endpoint.host) \(endpoint.port) "
            + "\"\(CurlFileDate.text(expiry))\" \(persists ? 1 : 0) 0"
    }
}
