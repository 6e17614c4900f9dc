package import PawlCore

/// The addresses of this machine and of the networks that it is connected to.
package enum OwnNetwork {
    #if os(Linux)
    /// Whether the kernel answered the first query.
    ///
    /// In some sandboxes it never answers.
    private static let isKnown = answer(for: IPAddress("127.0.0.1")) != nil
    #endif

    /// Finds out whether the kernel can be asked.
    ///
    /// Call it while the process still has free descriptors.
    package static func prepare() {
        #if os(Linux)
        _ = isKnown
        #endif
    }

    /// Whether an address belongs to this machine or its networks, as interfaces and routes are
    /// now.
    ///
    /// Returns `false` if the kernel could not be asked from the beginning. Returns `true` if it
    /// could be asked then but not now (for example because no descriptor is left), since nothing
    /// is known of the address then.
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
    /// Whether the route to an address does not leave these networks; `nil` if the kernel does not
    /// answer.
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
