internal import Glibc
internal import Synchronization

/// Finds ports of 127.0.0.1 on which nothing listens.
package enum UnusedPort {
    /// Below the ports that Linux chooses by itself: another test's server could get one of these
    /// before the port is used.
    private static let ports: ClosedRange<UInt16> = 10_000...32_000
    private static let attempts = 100
    /// The number of the next port; another process probably begins with another one.
    ///
    /// A program may need seconds until it listens, so a process gets no port twice.
    private static let next = Atomic(UInt32.random(in: 0..<UInt32(ports.count)))

    package static func find() throws -> UInt16 {
        for _ in 1..<attempts {
            let number = next.add(1, ordering: .relaxed).oldValue % UInt32(ports.count)
            if let port = try? check(ports.lowerBound + UInt16(number)) { return port }
        }
        return try check(0)
    }

    private static func check(_ port: UInt16) throws -> UInt16 {
        let socket = try OriginSocket(port: port, onAllAddresses: false)
        Glibc.close(socket.descriptor)
        return socket.port
    }
}
