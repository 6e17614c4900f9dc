package import PawlCore

/// The choice of a TCP listener when a daemon is started.
package enum ListenChoice: Sendable, Hashable {
    /// No choice: the settings apply.
    case remembered
    case off
    case at(ListenAddress)

    /// Parses `off` or an address; `port` is the port if the text has none.
    ///
    /// Throws `.usage`.
    package init(
        parsing text: String?,
        port: UInt16 = ListenAddress.standardPort
    ) throws(DownloadError) {
        switch text?.lowercased() {
        case nil: self = .remembered
        case "off": self = .off
        case let text?: self = .at(try ListenAddress(parsing: text, port: port))
        }
    }

    /// The chosen address, or nowhere; `nil` if there is no choice.
    var address: ListenAddress?? {
        switch self {
        case .remembered: nil
        case .off: .some(nil)
        case .at(let address): address
        }
    }
}

/// The address where the daemon listens for TCP.
package struct ListenAddress: Sendable, Hashable {
    /// An address of this machine, or that of all its interfaces.
    package var host: IPAddress
    /// The port; 0 lets the system choose one.
    package var port: UInt16

    package static let standardPort: UInt16 = 6880
    /// The port of aria2's RPC.
    package static let aria2Port: UInt16 = 6800

    package init(_ host: IPAddress = .loopback4, port: UInt16 = standardPort) {
        (self.host, self.port) = (host, port)
    }

    /// Parses `127.0.0.1:6880`, `[::1]:6880`, `localhost`, or a port alone; `standard` is the port
    /// if the text has none.
    ///
    /// An address that other machines can reach needs TLS, which the settings decide.
    ///
    /// Throws `.usage` if the text is not valid.
    package init(
        parsing text: String,
        port standard: UInt16 = standardPort
    ) throws(DownloadError) {
        let (name, number) = Self.parts(text)
        switch name {
        case "127.0.0.1", "localhost": host = .loopback4
        case "" where number != nil: host = .loopback4
        case "[::1]", "::1": host = .loopback6
        default:
            guard let address = Self.address(name) else {
                throw .usage(
                    "'\(text.sanitized(atMost: 100))' is not an address",
                    advice:
                        "give one with a port, such as 127.0.0.1:\(Int(standard)) or, with TLS, "
                        + "0.0.0.0:\(Int(standard))"
                )
            }
            host = address
        }
        guard let number else {
            port = standard
            return
        }
        guard let parsed = UInt16(number), number.allSatisfy(\.isNumber) else {
            throw .usage(
                "invalid port '\(number.sanitized(atMost: 40))'",
                advice: "give a number from 0 to 65535"
            )
        }
        port = parsed
    }

    /// Splits off the port after the last colon, unless that colon is within an address.
    private static func parts(_ text: String) -> (name: String, port: String?) {
        if !text.isEmpty, text.allSatisfy(\.isNumber) { return ("", text) }
        guard text != "::1", let colon = text.lastIndex(of: ":"), !text.hasSuffix("]") else {
            return (text.lowercased(), nil)
        }
        return (
            text[..<colon].lowercased(), String(text[text.index(after: colon)...])
        )
    }

    /// Returns an address without a zone; `nil` for a name.
    private static func address(_ name: String) -> IPAddress? {
        guard !name.contains("%") else { return nil }
        return IPAddress(name)
    }

    /// Whether only this machine can reach it.
    package var isLoopback: Bool { host == .loopback4 || host == .loopback6 }

    /// Whether it stands for the addresses of all interfaces.
    private var isEveryInterface: Bool { host.bytes.allSatisfy { $0 == 0 } }

    /// The host as it is written in a URL.
    package var hostText: String { host.isIPv6 ? "[\(host.text)]" : host.text }

    package var text: String { "\(hostText):\(port)" }

    /// The URL by which this machine reaches it.
    package func url(isSecure: Bool) -> String {
        let near = ListenAddress(host.isIPv6 ? .loopback6 : .loopback4, port: port)
        return "\(isSecure ? "https" : "http")://\(isEveryInterface ? near.text : text)"
    }
}
