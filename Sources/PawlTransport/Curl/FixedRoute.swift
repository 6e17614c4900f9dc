internal import PawlCore
internal import struct FoundationEssentials.URL

/// Where a request connects to, in place of the addresses of its URL's host: to an alternative
/// service, or to addresses that the user has given.
struct FixedRoute {
    /// The hosts to connect to, as `host:port:target:port`; the first match is used.
    private(set) var targets: [String] = []
    /// The names whose addresses are known, as `+name:port:address,address`.
    private(set) var names: [String] = []
    /// Where the request connects to without a proxy, or what a proxy is told; `nil` if the URL has
    /// no valid host.
    private(set) var destination: AlternativeService.Endpoint?

    private let request: TransferRequest

    init(_ request: TransferRequest) {
        self.request = request
        let entries = request.connection.fixedAddresses
        if let endpoint = request.alternative?.endpoint {
            // An entry for the alternative's own name applies to it.
            let entry = entries.first { $0.applies(to: endpoint) }
            let host = entry.map { target(of: $0, port: endpoint.port) } ?? endpoint.host
            targets.append("::\(host):\(endpoint.port)")
            destination = AlternativeService.Endpoint(host, port: endpoint.port)
        }
        let origin = Origin(request.url).flatMap {
            AlternativeService.Endpoint($0.host, port: $0.port)
        }
        let port = request.url.port ?? request.scheme.usualPort
        for entry in entries {
            let target = target(of: entry, port: port)
            let entryPort = entry.port.map { "\($0)" } ?? ""
            targets.append("\(entry.host ?? ""):\(entryPort):\(target):")
            if destination == nil, let origin, entry.applies(to: origin) {
                destination = AlternativeService.Endpoint(target, port: origin.port)
            }
        }
        destination = destination ?? origin
    }

    /// Returns the host that stands for the addresses of an entry.
    ///
    /// libcurl connects to one host in place of another. Several addresses need a name, which they
    /// make up: libcurl's cache of names is that of all transfers of a loop, so a real name would
    /// have these addresses for all of them.
    private mutating func target(of entry: FixedAddress, port: Int) -> String {
        let written = entry.addresses.map { $0.contains(":") ? "[\($0)]" : $0 }
        // A proxy would have to resolve the name.
        guard written.count > 1, !request.goesThroughProxy else {
            return written.first ?? ""
        }
        let words = entry.addresses.map { $0.replacingASCII(":", with: "-") }
        let name = words.joined(separator: "_") + ".invalid"
        // An entry with a plus expires as one that was resolved.
        names.append("+\(name):\(port):\(written.joined(separator: ","))")
        return name
    }
}
