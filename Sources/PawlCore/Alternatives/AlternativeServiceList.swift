package import struct FoundationEssentials.URL

/// The alternative services of origins (RFC 7838), and the text of curl's file with them.
package struct AlternativeServiceList: SharedFileContent, Hashable {
    /// The maximum size of a file.
    package static let mostBytes = 16 << 20
    /// The number of origins above which none is learned: a server may have as many names as it
    /// likes.
    private static let mostOrigins = 20_000
    private static let head =
        "# Your alt-svc cache. https://curl.se/docs/alt-svc.html\n"
        + "# Pawl changes alternatives in this file.\n"

    private var services: [AlternativeService.Endpoint: [AlternativeService]] = [:]

    package init() {}

    /// Reads the lines of a file; others are ignored.
    package init(_ text: String, at now: Int64) {
        for line in text.split(whereSeparator: \.isNewline) {
            guard let (origin, service) = AlternativeService.parse(line: line),
                !service.hasExpired(at: now)
            else { continue }
            let isKnown = services[origin]?.contains { $0.isSame(as: service) } ?? false
            if !isKnown { services[origin, default: []].append(service) }
        }
    }

    /// Whether a text has the form of the file.
    package static func isValid(_ text: String) -> Bool {
        text.split(whereSeparator: \.isNewline).allSatisfy { line in
            line.hasPrefix("#") || line.trimmed.isEmpty
                || AlternativeService.parse(line: line) != nil
        }
    }

    package var isEmpty: Bool { services.isEmpty }

    package var text: String {
        let origins = services.sorted { $0.key.text < $1.key.text }
        let lines = origins.flatMap { origin, found in found.map { $0.line(of: origin) } }
        return Self.head + lines.map { $0 + "\n" }.joined()
    }

    /// Returns the origin of an HTTPS URL; `nil` for other URLs, whose servers have no alternatives.
    package static func origin(of url: URL) -> AlternativeService.Endpoint? {
        let parts = AddressParts(url.absoluteString)
        guard parts.scheme?.lowercased() == "https", let host = parts.host else { return nil }
        let port = parts.port.flatMap { $0.isEmpty ? nil : $0 } ?? "443"
        return Int(port).flatMap { AlternativeService.Endpoint(host, port: $0) }
    }

    /// Returns the alternatives of an origin, in the order in which its server prefers them.
    package func services(
        of origin: AlternativeService.Endpoint,
        at now: Int64
    ) -> [AlternativeService] {
        (services[origin] ?? []).filter { !$0.hasExpired(at: now) }
    }

    /// Notes the alternatives in a response over TLS, which replace all earlier ones; returns whether
    /// that changes the list.
    ///
    /// Times that are only a little longer than the known ones change nothing: most servers send the
    /// same times with each response.
    package mutating func learn(
        _ field: AlternativeServicesField,
        from origin: AlternativeService.Endpoint,
        at now: Int64
    ) -> Bool {
        let known = services[origin]
        let new = field.members.compactMap { member -> AlternativeService? in
            let host = member.host.isEmpty ? origin.host : member.host
            guard member.maximumAgeSeconds > 0,
                let endpoint = AlternativeService.Endpoint(host, port: member.port)
            else { return nil }
            let (sum, overflows) = now.addingReportingOverflow(member.maximumAgeSeconds)
            return AlternativeService(
                member.version,
                endpoint,
                expiry: overflows ? .max : sum,
                persists: member.persists
            )
        }
        guard !new.isEmpty else {
            services[origin] = nil
            return known != nil
        }
        if let known, Self.isRepetition(new, of: known, at: now) { return false }
        guard known != nil || services.count < Self.mostOrigins else { return false }
        services[origin] = new
        return true
    }

    private static func isRepetition(
        _ new: [AlternativeService],
        of known: [AlternativeService],
        at now: Int64
    ) -> Bool {
        new.count == known.count
            && zip(new, known).allSatisfy { new, known in
                new.isSame(as: known) && known.expiry <= new.expiry
                    && new.expiry - known.expiry <= (new.expiry - now) / 100
            }
    }

    package mutating func apply(from before: Self, to after: Self, at now: Int64) {
        services.applyChanges(from: before.services, to: after.services)
    }
}
