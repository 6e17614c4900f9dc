package import PawlWire

/// The hosts that a request to aria2's RPC may name (pure).
///
/// Otherwise, a page whose name resolves to this address could send requests (DNS rebinding). In
/// contrast to the API, `localhost` is allowed: it is the default of many clients of aria2.
package struct Aria2Hosts: Sendable {
    private let hosts: Set<String>

    package init(_ address: ListenAddress) {
        let names = [address.hostText, "localhost"]
        let withPort = names.map { "\($0):\(address.port)" }
        hosts = Set(withPort + (address.port == 80 ? names : []))
    }

    /// Whether a request with these `Host` fields is answered.
    package func allow(_ fields: [String]) -> Bool {
        fields.count == 1 && hosts.contains(fields[0].lowercased())
    }

    package var text: String { hosts.sorted().joined(separator: ", ") }
}
