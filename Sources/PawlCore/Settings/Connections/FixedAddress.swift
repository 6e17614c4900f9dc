/// The addresses to use for a host instead of resolving its name.
public struct FixedAddress: Hashable, Sendable {
    /// The host's name as in URLs; `nil` for every host.
    public var host: String?
    /// The port; `nil` for every port.
    public var port: Int?
    /// The addresses to connect to, in IPv4 or IPv6 notation without brackets; up to six.
    ///
    /// They are tried as if the name had been resolved to them. Through a proxy, only the first is
    /// used.
    public var addresses: [String]

    /// Creates an entry for a host and a port.
    public init(host: String?, port: Int?, address: String) {
        self.init(host: host, port: port, addresses: [address])
    }

    /// Creates an entry with several addresses for a host and a port.
    public init(host: String?, port: Int?, addresses: [String]) {
        self.host = host
        self.port = port
        self.addresses = addresses
    }
}

extension FixedAddress {
    /// The maximum number of addresses of an entry.
    private static let mostAddresses = 6

    /// Reads `host:port:address,address`, where `*` means every host or every port.
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
        let list = pieces[2].split(separator: ",", omittingEmptySubsequences: false)
        guard list.count <= mostAddresses else {
            throw ValueError("there are more than \(mostAddresses) addresses", advice: form)
        }
        var addresses: [String] = []
        for item in list { addresses.append(try address(String(item))) }
        return FixedAddress(host: host == "*" ? nil : host, port: port, addresses: addresses)
    }

    private static func address(_ text: String) throws(ValueError) -> String {
        let hasBrackets = text.hasPrefix("[") && text.hasSuffix("]")
        let address = hasBrackets ? String(text.dropFirst().dropLast()) : text
        guard IPAddress(address) != nil else {
            throw ValueError("'\(address.sanitized(atMost: 60))' is not an address", advice: form)
        }
        return address
    }

    package var text: String {
        "\(host ?? "*"):\(port.map { "\($0)" } ?? "*"):\(addresses.joined(separator: ","))"
    }

    package static let form: Advice = "write host:port:address, such as example.org:443:192.0.2.7"
}

extension AddressParts {
    fileprivate var isPlainHost: Bool {
        hasUsableHost && userInfo == nil && port == nil && path.isEmpty && query == nil
            && fragment == nil
    }
}
