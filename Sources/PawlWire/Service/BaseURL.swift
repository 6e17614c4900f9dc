package import PawlCore

/// The URL under which a reverse proxy serves the daemon, such as `https://host.example/downloads/`.
package struct BaseURL: Sendable, Hashable {
    /// Whether its scheme is https.
    package let isSecure: Bool
    /// The host in small letters, with brackets around an IPv6 address.
    private let host: String
    /// The port; `nil` is that of the scheme.
    private let port: UInt16?
    /// The path without a slash at its end; empty for the root of the host.
    package let prefix: String

    /// The first names of the daemon's own paths, with which the path of a base URL cannot begin: a
    /// proxy may strip that path or not.
    package static let ownNames: Set<String> = [
        "assets", "healthz", "metrics", "openapi.yaml", "readyz", "v1", "worker.js",
    ]
    private static let mostBytes = 1000

    /// Throws if the text is not such a URL.
    package init(parsing text: String) throws(ValueError) {
        let parts = text.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, text.utf8.count <= Self.mostBytes else {
            throw Self.fault(text, "is not a URL")
        }
        switch parts[0].lowercased() {
        case "https": isSecure = true
        case "http": isSecure = false
        default: throw Self.fault(text, "is not an HTTP URL")
        }
        let authority = Substring(parts[1].utf8.prefix { $0 != UInt8(ascii: "/") })
        guard let (host, port) = Self.host(authority) else {
            throw Self.fault(text, "has no valid host")
        }
        self.host = host
        self.port = port == (isSecure ? 443 : 80) ? nil : port
        prefix = try Self.prefix(parts[1][authority.endIndex...], of: text)
    }

    private static func fault(_ text: String, _ what: String) -> ValueError {
        ValueError(
            "'\(text.sanitized(atMost: 100))' \(what)",
            advice: "give one such as https://host.example/downloads/"
        )
    }

    /// Splits off the port; returns `nil` for anything but a name or an address.
    private static func host(_ text: Substring) -> (String, UInt16?)? {
        var host = text.lowercased()
        var port: UInt16?
        if let colon = text.lastIndex(of: ":"), !text.hasSuffix("]") {
            host = text[..<colon].lowercased()
            port = UInt16(text[text.index(after: colon)...])
            guard port != nil, port != 0 else { return nil }
        }
        if host.hasPrefix("[") {
            return host.hasSuffix("]") && IPAddress(host)?.isIPv6 == true ? (host, port) : nil
        }
        let isName = host.utf8.allSatisfy { byte in
            Self.isAlphanumeric(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
        }
        return isName && !host.isEmpty ? (host, port) : nil
    }

    private static func prefix(
        _ path: Substring,
        of text: String
    ) throws(ValueError) -> String {
        var names = path.pieces(at: "/").dropFirst()
        if names.last == "" { names.removeLast() }
        let areAllowed = names.allSatisfy { name in
            !name.isEmpty && name != "." && name != ".."
                && name.utf8.allSatisfy { Self.isAlphanumeric($0) || "-._~".utf8.contains($0) }
        }
        guard areAllowed else {
            throw ValueError(
                "the path of '\(text.sanitized(atMost: 100))' contains an empty part, or "
                    + "characters other than letters, digits and -._~",
                advice: "give one such as https://host.example/downloads/"
            )
        }
        if let first = names.first, ownNames.contains(String(first)) {
            throw ValueError(
                "the path of '\(text.sanitized(atMost: 100))' begins with a name that the daemon "
                    + "reserves",
                advice:
                    "choose a first name other than \(ownNames.sorted().joined(separator: ", "))"
            )
        }
        return names.map { "/\($0)" }.joined()
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        default: false
        }
    }

    // MARK: - Its parts

    /// The origin, as browsers send it.
    package var origin: String {
        "\(isSecure ? "https" : "http")://\(host)\(port.map { ":\($0)" } ?? "")"
    }

    /// The path with a slash at its end.
    package var path: String { "\(prefix)/" }

    package var text: String { origin + path }

    /// Whether the host is a loopback address; a name may stand for several addresses.
    package var isLoopback: Bool { IPAddress(host)?.isLoopback ?? false }

    /// The values of `Host` that name it.
    package var hosts: [String] {
        if let port { return ["\(host):\(port)"] }
        return [host, "\(host):\(isSecure ? 443 : 80)"]
    }

    /// Returns the daemon's own target for one with this path as prefix, which a proxy has kept; the
    /// same target if it does not have it.
    package func ownTarget(_ target: String) -> String {
        guard !prefix.isEmpty, target.utf8.starts(with: path.utf8) else { return target }
        return String(Substring(target.utf8.dropFirst(prefix.utf8.count)))
    }

    /// Whether a target is the path without the slash, from which the page's relative URLs would
    /// lead elsewhere.
    package func lacksSlash(_ target: String) -> Bool {
        !prefix.isEmpty && target.prefix { $0 != "?" } == prefix
    }
}
