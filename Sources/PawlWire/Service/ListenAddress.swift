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
///
/// It belongs to this machine, and no other machine can reach it.
package struct ListenAddress: Sendable, Hashable {
    package enum Host: String, Sendable, Hashable {
        case version4 = "127.0.0.1"
        case version6 = "::1"
    }

    package var host: Host
    /// The port; 0 lets the system choose one.
    package var port: UInt16

    package static let standardPort: UInt16 = 6880
    /// The port of aria2's RPC.
    package static let aria2Port: UInt16 = 6800

    package init(_ host: Host = .version4, port: UInt16 = standardPort) {
        (self.host, self.port) = (host, port)
    }

    /// Parses `127.0.0.1:6880`, `[::1]:6880`, `localhost`, or a port alone; `standard` is the port
    /// if the text has none.
    ///
    /// Throws `.usage` if the text is not valid, and for an address that other machines can reach.
    package init(
        parsing text: String,
        port standard: UInt16 = standardPort
    ) throws(DownloadError) {
        let (name, number) = Self.parts(text)
        switch name {
        case "127.0.0.1", "localhost": host = .version4
        case "" where number != nil: host = .version4
        case "[::1]", "::1": host = .version6
        default:
            throw .usage(
                "'\(text.sanitized(atMost: 100))' is not a loopback address",
                advice: "give 127.0.0.1 or [::1] with a port; to connect from another machine, use "
                    + "ssh -L \(standard):127.0.0.1:\(standard) HOST"
            )
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

    /// The host as it is written in a URL.
    package var hostText: String { host == .version6 ? "[::1]" : host.rawValue }

    package var text: String { "\(hostText):\(port)" }

    package var url: String { "http://\(text)" }
}
