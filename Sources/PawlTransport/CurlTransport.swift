internal import Glibc
package import PawlCore

/// Transfers bytes with libcurl, on up to four threads plus one for transfers that share
/// connections.
///
/// Each thread starts when it is first needed.
package final class CurlTransport: Transport {
    private let separate: LoopGroup
    /// The loop of all transfers that may share a connection.
    ///
    /// No other transfer may run on it, see `Negotiation`.
    private let shared: TransferLoop
    private let serialOrigins: SerialOrigins

    /// The number of loops: one per core, up to four.
    ///
    /// TLS is what keeps a core busy.
    package static var loopsByCores: Int {
        min(4, max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    }

    package init(loops: Int = CurlTransport.loopsByCores) {
        OwnNetwork.prepare()
        let caches = SharedCaches()
        separate = LoopGroup(
            (0..<min(4, max(1, loops))).map { _ in TransferLoop(caches: caches) }
        )
        shared = TransferLoop(caches: caches, exits: separate)
        serialOrigins = caches.serialOrigins
    }

    deinit { shutDown() }

    /// Starts a transfer.
    ///
    /// After `shutDown` no thread can run it: then the sink receives its end at once.
    package func start(_ request: TransferRequest, sink: any TransferSink) -> any Transfer {
        let origin = request.url.origin
        let isShared = mayShare(request, origin)
        let context = TransferContext(
            request: request,
            origin: origin,
            sharing: isShared ? Sharing() : nil,
            sink: sink
        )
        let loop = isShared ? shared : separate.place(origin)
        if isShared { shared.transferPlaced() }
        loop.start(context)
        return CurlTransfer(context: context, loop: loop)
    }

    private func mayShare(_ request: TransferRequest, _ origin: String) -> Bool {
        request.multiplexes && origin.hasPrefix("https:") && CurlHandle.seesNegotiation
            && !serialOrigins.contains(origin)
    }

    package var workTimes: [Duration] { (separate.loops + [shared]).compactMap(\.workTime) }

    /// Ends the threads and waits for them.
    ///
    /// Running transfers end with `.cancelled`.
    package func shutDown() {
        let threads = ([shared] + separate.loops).compactMap { $0.close() }
        for thread in threads {
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
