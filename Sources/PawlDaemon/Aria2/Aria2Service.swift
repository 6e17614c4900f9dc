internal import PawlCore
internal import PawlWire

/// What the methods of aria2's RPC work with.
struct Aria2Service: Sendable {
    let queue: DaemonQueue
    let gids: Aria2GIDs
    /// Identifies this run of the daemon: 40 digits in base 16, as in aria2.
    let session: String
    /// Ends the daemon.
    let shutDown = Wakeup()

    /// `identity`: the identity of the queue; `nil` if it could not be stored.
    init(_ queue: DaemonQueue, _ identity: String?) {
        self.queue = queue
        gids = Aria2GIDs(identity: identity)
        session = (0..<5).map { _ in UInt32.random(in: .min ... .max).hexadecimal }.joined()
    }
}

/// The paths of aria2's RPC.
enum Aria2Path {
    static let json = "/jsonrpc"
    static let xml = "/rpc"
}
