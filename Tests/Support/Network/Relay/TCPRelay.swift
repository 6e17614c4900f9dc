package import SystemPackage

/// A relay between clients and a server of this machine, which a test can break at any point.
///
/// It listens on a port of 127.0.0.1. One thread of its own forwards the bytes. Each call returns
/// when that thread has carried it out. The relay stops when the object is released.
package final class TCPRelay: Sendable {
    /// The server to which connections are forwarded.
    package enum Target: Sendable {
        /// A port of 127.0.0.1.
        case port(UInt16)
        /// The path of a Unix socket.
        case socket(String)
    }

    private let loop: RelayLoop

    /// Starts on a port that the kernel chooses.
    package init(to target: Target) throws(Errno) {
        loop = try RelayLoop(to: target)
        try loop.start()
    }

    deinit { loop.perform { $0.stop() } }

    /// The port on which the relay listens, also while it refuses connections.
    package var port: UInt16 { loop.port }

    /// Breaks all open connections, but accepts new ones.
    package func cutAll(_ ending: Ending = .reset) { loop.perform { $0.cutAll(ending) } }

    /// Refuses new connections as if no server listened; open ones stay.
    package func refuse() { loop.perform { $0.refuse() } }

    /// Accepts connections again.
    package func accept() { loop.perform { $0.listen() } }

    /// Stops forwarding in these directions, without any sign to either side.
    ///
    /// Bytes and ends of streams that arrive stay in the kernel until `resume`.
    package func hold(_ directions: Set<RelayDirection> = [.toServer, .toClient]) {
        loop.perform { $0.held.formUnion(directions) }
    }

    /// Forwards again in both directions.
    package func resume() { loop.perform { $0.held = [] } }

    /// Breaks a connection at a point of its bytes.
    ///
    /// - Parameters:
    ///   - times: The number of connections to break.
    package func cut(_ point: RelayCut, times: Int = 1, _ ending: Ending = .reset) {
        loop.perform { $0.add(point, times: times, ending) }
    }

    /// Removes all points at which connections would break.
    package func removeCuts() { loop.perform { $0.removeCuts() } }

    /// Breaks all connections and refuses new ones.
    package func stop() { loop.perform { $0.stop() } }

    /// What has passed so far.
    package var snapshot: RelaySnapshot { loop.ledger.value }

    /// Waits for the first snapshot that meets the condition and returns it.
    @discardableResult
    package func waitUntil(
        _ holds: @escaping @Sendable (RelaySnapshot) -> Bool
    ) async -> RelaySnapshot {
        await loop.ledger.wait(until: holds)
    }
}

/// The direction in which a relay forwards bytes.
package enum RelayDirection: Hashable, Sendable, CaseIterable {
    case toServer, toClient
}

/// What has passed through a relay so far.
package struct RelaySnapshot: Sendable {
    /// The number of connections that were accepted.
    package var connections = 0
    /// The number of open connections.
    package var open = 0
    /// The number of connections that the relay has broken.
    package var cuts = 0
    /// The number of bytes that were forwarded.
    package var bytes: [RelayDirection: Int] = [.toServer: 0, .toClient: 0]
}
