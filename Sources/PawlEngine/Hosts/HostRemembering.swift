package import PawlCore

/// A host as seen from one network, for the memory of hosts.
package struct HostPath: Hashable, Sendable {
    /// The host with its port, as `name:port`.
    package var host: String
    /// The first bytes of this machine's address of the connection; empty if they are not known.
    package var network: [UInt8]
    /// Whether the host is this machine.
    package var isLoopback: Bool

    package init(host: String, localAddress: IPAddress?) {
        self.host = host
        network = localAddress?.networkPrefix ?? []
        isLoopback = localAddress?.isLoopback ?? false
    }
}

/// Keeps what downloads learn of hosts, for later downloads.
///
/// What it returns is only a hint, so it reports no errors.
package protocol HostRemembering: Sendable {
    /// Returns what is known of a host; it may read a file.
    func record(of path: HostPath) -> HostRecord?
    /// Keeps what a download has learned, with the present time; it may write a file.
    func learn(_ record: HostRecord, of path: HostPath)
}
