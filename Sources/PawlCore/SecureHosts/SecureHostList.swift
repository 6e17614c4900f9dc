package import struct FoundationEssentials.URL

/// The hosts that are used only over HTTPS (RFC 6797), and the text of curl's file with them.
package struct SecureHostList: SharedFileContent, Hashable {
    /// The maximum size of a file.
    package static let mostBytes = 16 << 20
    /// The number of hosts above which none is learned: a server may have as many names as it likes.
    private static let mostHosts = 20_000
    private static let head =
        "# Your HSTS cache. https://curl.se/docs/hsts.html\n"
        + "# Pawl changes hosts in this file.\n"

    private var hosts: [String: SecureHost] = [:]

    package init() {}

    /// Reads the lines of a file; others are ignored.
    package init(_ text: String, at now: Int64) {
        for line in text.split(whereSeparator: \.isNewline) {
            guard let host = SecureHost(line: line), !host.hasExpired(at: now) else { continue }
            hosts[host.name] = host
        }
    }

    /// Whether a text has the form of the file.
    package static func isValid(_ text: String) -> Bool {
        text.split(whereSeparator: \.isNewline).allSatisfy { line in
            line.hasPrefix("#") || line.trimmed.isEmpty || SecureHost(line: line) != nil
        }
    }

    package var isEmpty: Bool { hosts.isEmpty }

    package var text: String {
        Self.head + hosts.values.map(\.line).sorted().map { $0 + "\n" }.joined()
    }

    /// Returns the HTTPS URL in place of the HTTP URL of a known host; `nil` if the URL stays as it
    /// is (RFC 6797 §8.3).
    package func secured(_ url: URL, at now: Int64) -> URL? {
        var parts = AddressParts(url.absoluteString)
        guard parts.scheme?.lowercased() == "http", let host = parts.host,
            contains(host, at: now)
        else { return nil }
        parts.scheme = "https"
        // Any other port than the usual one is kept.
        if parts.port == "80" || parts.port?.isEmpty == true { parts.port = nil }
        return URL(string: parts.text)
    }

    /// Whether a host or a domain that includes it is known (RFC 6797 §8.2).
    private func contains(_ host: String, at now: Int64) -> Bool {
        guard var name = SecureHost.normalized(host) else { return false }
        if let known = hosts[name], !known.hasExpired(at: now) { return true }
        while let dot = name.firstIndex(of: ".") {
            name = String(name[dot...].dropFirst())
            if let known = hosts[name], known.includesSubdomains, !known.hasExpired(at: now) {
                return true
            }
        }
        return false
    }

    /// Notes what a host demands in a response over TLS; returns whether that changes the list.
    ///
    /// A time that is only a little longer than the known one changes nothing: most servers send the
    /// same time with each response.
    package mutating func learn(
        _ demand: StrictTransportSecurity,
        from host: String,
        at now: Int64
    ) -> Bool {
        let (sum, overflows) = now.addingReportingOverflow(demand.maximumAgeSeconds)
        guard
            let new = SecureHost(
                host,
                includesSubdomains: demand.includesSubdomains,
                expiry: overflows ? .max : sum
            )
        else { return false }
        let known = hosts[new.name]
        guard demand.maximumAgeSeconds > 0 else {
            hosts[new.name] = nil
            return known != nil
        }
        if let known, known.includesSubdomains == new.includesSubdomains,
            known.expiry <= new.expiry,
            new.expiry - known.expiry <= demand.maximumAgeSeconds / 100
        {
            return false
        }
        guard known != nil || hosts.count < Self.mostHosts else { return false }
        hosts[new.name] = new
        return true
    }

    package mutating func apply(from before: Self, to after: Self, at now: Int64) {
        hosts.applyChanges(from: before.hosts, to: after.hosts)
    }
}
