internal import Glibc

/// Finds ports of 127.0.0.1 on which nothing listens.
package enum UnusedPort {
    package static func find() throws -> UInt16 {
        let socket = try ListeningSocket(port: 0, onAllAddresses: false)
        Glibc.close(socket.descriptor)
        return socket.port
    }
}
