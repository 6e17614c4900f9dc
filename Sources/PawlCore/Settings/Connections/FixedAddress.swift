/// The address of a host that is not to be resolved.
public struct FixedAddress: Hashable, Sendable {
    /// The host's name as in URLs; `nil` for every host.
    public var host: String?
    /// The port; `nil` for every port.
    public var port: Int?
    /// The address to connect to, in IPv4 or IPv6 notation without brackets.
    public var address: String

    /// Creates an entry for a host and a port.
    public init(host: String?, port: Int?, address: String) {
        self.host = host
        self.port = port
        self.address = address
    }
}

extension FixedAddress {
    /// Reads `host:port:address`, where `*` means every host or every port.
    package static func parse(_ text: String) throws(ValueError) -> FixedAddress {
        let pieces = text.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard pieces.count == 3 else {
            throw ValueError("'\(text.sanitized(atMost: 200))' has no address", advice: form)
        }
        let host = pieces[0].lowercased()
        guard host == "*" || AddressParts("http://\(host)").isPlainHost else {
            throw ValueError("'\(host.sanitized(atMost: 200))' is not a host", advice: form)
        }
        let port = Int(pieces[1])
        guard pieces[1] == "*" || port.map((1...65_535).contains) == true else {
            let shown = String(pieces[1]).sanitized(atMost: 40)
            throw ValueError("'\(shown)' is not a port", advice: form)
        }
        var address = String(pieces[2])
        if address.hasPrefix("["), address.hasSuffix("]") {
            address = String(address.dropFirst().dropLast())
        }
        guard IPAddress(address) != nil else {
            throw ValueError("'\(address.sanitized(atMost: 60))' is not an address", advice: form)
        }
        return FixedAddress(host: host == "*" ? nil : host, port: port, address: address)
    }

    package var text: String { "\(host ?? "*"):\(port.map { "\($0)" } ?? "*"):\(address)" }

    package static let form: Advice = "write host:port:address, such as example.org:443:192.0.2.7"
}

extension AddressParts {
    fileprivate var isPlainHost: Bool {
        hasUsableHost && userInfo == nil && port == nil && path.isEmpty && query == nil
            && fragment == nil
    }
}
