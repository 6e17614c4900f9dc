internal import Glibc

/// Finds ports of 127.0.0.1 on which nothing listens.
package enum UnusedPort {
    /// Below the ports that Linux chooses by itself: another test's server could get one of these
    /// before the port is used.
    private static let ports: ClosedRange<UInt16> = 10_000...32_000
    private static let attempts = 100

    package static func find() throws -> UInt16 {
        for _ in 1..<attempts {
            if let port = try? check(UInt16.random(in: ports)) { return port }
        }
        return try check(0)
    }

    private static func check(_ port: UInt16) throws -> UInt16 {
        let socket = try ListeningSocket(port: port, onAllAddresses: false)
        Glibc.close(socket.descriptor)
        return socket.port
    }
}
