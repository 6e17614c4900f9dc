internal import PawlCore

/// The command that gives a listener another address, for errors.
enum ListenCommand: Sendable {
    case listen, aria2RPC
    /// That of the program `aria2c`, which chooses the host itself.
    case aria2Program

    /// The command line with another port.
    ///
    /// `host`: the host of the address as it is written in a URL.
    func text(host: String) -> String {
        switch self {
        case .listen: "pawl daemon start --listen \(host):PORT"
        case .aria2RPC: "pawl daemon start --aria2-rpc \(host):PORT"
        case .aria2Program: "aria2c --rpc-listen-port=PORT"
        }
    }
}
