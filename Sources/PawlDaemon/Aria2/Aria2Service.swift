internal import PawlCore
internal import PawlWire

/// What the methods of aria2's RPC work with.
struct Aria2Service: Sendable {
    let queue: DaemonQueue
    var gids: Aria2GIDs { queue.gids }
    let audit: AuditLog
    /// Identifies this run of the daemon: 40 digits in base 16, as in aria2.
    let session: String
    /// The options of the command line, for downloads that do not give them.
    let defaults: Aria2GivenOptions
    /// Ends the daemon.
    let shutDown = Wakeup()

    /// `launch`: what the command line of aria2 has asked for.
    init(_ queue: DaemonQueue, _ launch: Aria2Launch?, _ audit: AuditLog) {
        (self.queue, self.audit) = (queue, audit)
        defaults = Aria2GivenOptions(launch?.options ?? []).withoutFiles
        session = (0..<5).map { _ in UInt32.random(in: .min ... .max).hexadecimal }.joined()
    }
}

/// The paths of aria2's RPC.
enum Aria2Path {
    static let json = "/jsonrpc"
    static let xml = "/rpc"
}
