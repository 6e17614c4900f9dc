package import PawlCore

/// The addresses of this machine, and of the networks that it is on.
package enum OwnNetwork {
    #if os(Linux)
    /// Whether the kernel answered when it was first asked: in some sandboxes it never does.
    private static let isKnown = answer(for: IPAddress("127.0.0.1")) != nil
    #endif

    /// Finds out whether the kernel can be asked; to be called while the process has descriptors left.
    package static func prepare() {
        #if os(Linux)
        _ = isKnown
        #endif
    }

    /// Whether an address is one of them, as interfaces and routes are now.
    ///
    /// Returns `false` if the kernel could not be asked from the beginning, and `true` if it could, but
    /// cannot be asked now, as when no descriptor is left: then nothing is known of the address.
    package static func holds(_ address: IPAddress) -> Bool {
        #if os(Linux)
        guard isKnown else { return false }
        return [address, address.hiddenIPv4].compactMap(\.self).contains { address in
            answer(for: address) ?? true
        }
        #else
        false
        #endif
    }

    #if os(Linux)
    /// Whether the way to an address stays here; `nil` if the kernel does not answer.
    private static func answer(for address: IPAddress?) -> Bool? {
        guard let address, let socket = NetlinkSocket() else { return nil }
        switch socket.way(to: address) {
        case .way(let way): return way.staysHere
        case .noRoute: return false
        case .failed: return nil
        }
    }
    #endif
}
