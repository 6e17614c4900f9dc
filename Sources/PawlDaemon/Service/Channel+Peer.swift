internal import NIOCore
internal import PawlCore

extension Channel {
    /// The address at the other end of the connection; `nil` for a Unix socket.
    var peerAddress: IPAddress? { remoteAddress?.ipAddress.flatMap { IPAddress($0) } }
}
