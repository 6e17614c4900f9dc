internal import CPlatform
internal import Glibc

/// The sockets of a loop's HTTP/1.1 connections.
///
/// A server may send more than its response, and the excess that waits on a connection would be
/// read as the response to the next request. libcurl 7.88 closes a connection only if it read the
/// excess together with the end of the body. It does not report which socket a request will use, only
/// the addresses, so the loop notes the sockets by these as soon as they are connected: a
/// connection can be given to the next transfer before the end of the last one is reported.
///
/// Used by one thread only.
final class ConnectionSockets {
    /// What identifies a connection, as libcurl reports it.
    struct Endpoints: Hashable {
        var address: String
        var port: Int
        var ownAddress: String
        var ownPort: Int
    }

    private static let limit = 1_024
    private var sockets: [Endpoints: Int32] = [:]

    /// Records a new connection; its socket is one of those opened for it.
    func note(_ endpoints: Endpoints, among opened: [Int32]) {
        guard let socket = opened.first(where: { pawl_socket_port($0) == endpoints.ownPort })
        else { return }
        // Forgetting costs one connection; growing without a limit costs memory.
        if sockets.count >= Self.limit { sockets.removeAll() }
        sockets[endpoints] = socket
    }

    /// Whether nothing waits to be read.
    ///
    /// Bytes that TLS itself sends cannot be distinguished from a server's excess; such a false alarm costs
    /// one connection. A connection that the server has closed is left to libcurl.
    func isQuiet(_ endpoints: Endpoints) -> Bool {
        guard let socket = sockets[endpoints] else { return false }
        var byte: UInt8 = 0
        let count = recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        return count == 0 || (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
    }
}
