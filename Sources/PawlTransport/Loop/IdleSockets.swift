internal import CCurl
internal import Glibc

/// The sockets of the HTTP/1.1 connections that a loop keeps open for reuse.
///
/// A server may send more than its response, and the excess that waits on a connection would be
/// read as the response to the next request. libcurl 7.88 closes a connection only if it read the
/// excess together with the end of the body. It does not give the socket back before a transfer
/// ends, so the loop notes the sockets by their addresses.
///
/// Used by one thread only.
final class IdleSockets {
    /// What identifies a connection, as libcurl reports it.
    struct Endpoints: Hashable {
        var address: String
        var port: Int
        var ownAddress: String
        var ownPort: Int
    }

    private static let limit = 1_024
    private var sockets: [Endpoints: Int32] = [:]

    /// Records the connection that a finished transfer leaves open.
    func note(_ handle: CurlHandle) {
        guard let socket = handle.keptSocket else { return }
        // Forgetting costs one connection; growing without a limit costs memory.
        if sockets.count >= Self.limit { sockets.removeAll() }
        sockets[handle.endpoints] = socket
    }

    /// Whether nothing waits to be read.
    ///
    /// Bytes that TLS itself sends cannot be told from a server's excess; such a false alarm costs
    /// one connection. A connection that the server has closed is left to libcurl.
    func isQuiet(_ endpoints: Endpoints) -> Bool {
        guard let socket = sockets[endpoints] else { return false }
        var byte: UInt8 = 0
        let count = recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        return count == 0 || (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
    }
}

extension CurlHandle {
    fileprivate var endpoints: IdleSockets.Endpoints {
        IdleSockets.Endpoints(
            address: text(CURLINFO_PRIMARY_IP) ?? "",
            port: number(CURLINFO_PRIMARY_PORT),
            ownAddress: text(CURLINFO_LOCAL_IP) ?? "",
            ownPort: number(CURLINFO_LOCAL_PORT)
        )
    }
}
