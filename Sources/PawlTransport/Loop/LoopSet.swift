internal import Glibc
internal import Synchronization

/// The loops that one or several transports use.
///
/// Its threads end with the last transport.
final class LoopSet: Sendable {
    private struct Shared {
        weak var loops: LoopSet?
    }

    private static let shared = Mutex(Shared())

    let separate: LoopGroup
    /// The loop of all transfers that may share a connection.
    ///
    /// No other transfer may run on it, see `Negotiation`.
    let multiplexed: TransferLoop

    /// The loop of FTP and SFTP: libcurl waits there for some answers without returning, which must
    /// not hold up other transfers.
    let files = TransferLoop()

    init(loops: Int) {
        separate = LoopGroup((0..<loops).map { _ in TransferLoop() })
        multiplexed = TransferLoop(exits: separate)
    }

    deinit { close() }

    /// Returns the loops that the transports of this process share.
    static func ofProcess(loops: Int) -> LoopSet {
        shared.withLock { shared in
            if let loops = shared.loops { return loops }
            let new = LoopSet(loops: loops)
            shared.loops = new
            return new
        }
    }

    var all: [TransferLoop] { [multiplexed, files] + separate.loops }

    /// Ends the threads and waits for them.
    private func close() {
        for thread in all.compactMap({ $0.close() }) {
            // A sink may drop the last reference to the transport on the very thread that is to
            // end.
            if pthread_equal(thread, pthread_self()) == 0 {
                pthread_join(thread, nil)
            } else {
                pthread_detach(thread)
            }
        }
    }
}
