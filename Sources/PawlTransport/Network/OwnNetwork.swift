package import PawlCore

/// The addresses of this machine, and of the networks that it is on.
package enum OwnNetwork {
    /// Whether an address is one of them, as interfaces and routes are now.
    ///
    /// False where the system cannot be asked.
    package static func holds(_ address: IPAddress) -> Bool {
        #if os(Linux)
        guard let socket = NetlinkSocket() else { return false }
        return [address, address.hiddenIPv4].compactMap(\.self).contains { address in
            socket.way(to: address)?.staysHere == true
        }
        #else
        false
        #endif
    }
}
