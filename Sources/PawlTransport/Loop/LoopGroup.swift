internal import Synchronization

/// The loops whose transfers have connections of their own.
final class LoopGroup: Sendable {
    let loops: [TransferLoop]
    private let placement = Mutex(LoopPlacement())

    /// `loops` has at least one element.
    init(_ loops: [TransferLoop]) { self.loops = loops }

    /// A loop for a transfer, which is counted there.
    func place(_ origin: String) -> TransferLoop {
        placement.withLock { placement in
            let loop = loops[
                placement.choose(
                    for: origin,
                    loads: loops.map(\.load),
                    idle: loops.map { $0.idleConnections(to: origin) }
                )
            ]
            loop.takeConnection(to: origin)
            // Counted under the lock, so that transfers started at the same time spread out.
            loop.transferPlaced()
            return loop
        }
    }
}
