internal import Synchronization

/// The loops whose transfers have connections of their own.
final class LoopGroup: Sendable {
    let loops: [TransferLoop]
    private let chooser = Mutex(LoopChooser())

    /// Creates a group.
    ///
    /// `loops` has at least one element.
    init(_ loops: [TransferLoop]) { self.loops = loops }

    /// Chooses a loop for a transfer and counts the transfer there.
    ///
    /// `key` names the connections that it can use.
    func chooseLoop(_ key: String) -> TransferLoop {
        chooser.withLock { chooser in
            let loop = loops[
                chooser.choose(
                    for: key,
                    loads: loops.map(\.load),
                    idle: loops.map { $0.idleConnections(key) }
                )
            ]
            loop.takeConnection(key)
            // It is counted under the lock, so that transfers started at the same time spread out.
            loop.transferAssigned()
            return loop
        }
    }
}
