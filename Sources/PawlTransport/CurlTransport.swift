internal import Glibc
package import PawlCore
internal import Synchronization

/// Moves bytes with libcurl, on one to four threads of its own, which start when they are needed.
package final class CurlTransport: Transport {
    private let loops: [TransferLoop]
    private let placement = Mutex(LoopPlacement())

    /// One loop for each core, up to four: TLS is what keeps a core busy.
    package static var loopsByCores: Int {
        min(4, max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    }

    package init(loops: Int = CurlTransport.loopsByCores) {
        let caches = SharedCaches()
        self.loops = (0..<min(4, max(1, loops))).map { _ in TransferLoop(caches: caches) }
    }

    deinit { shutDown() }

    /// Where no thread is left to do so (after `shutDown`), the sink hears of the end at once.
    package func start(_ request: TransferRequest, sink: any TransferSink) -> any Transfer {
        let context = TransferContext(request: request, sink: sink)
        let origin = request.url.origin
        let loop = placement.withLock { placement in
            let loop = loops[placement.choose(for: origin, loads: loops.map(\.load))]
            // Counted under the lock, so that transfers started at the same time spread out.
            loop.transferPlaced()
            return loop
        }
        loop.start(context)
        return CurlTransfer(context: context, loop: loop)
    }

    package var workTimes: [Duration] { loops.compactMap(\.workTime) }

    /// Ends the threads and waits for them; running transfers hear `.cancelled`.
    package func shutDown() {
        let threads = loops.compactMap { $0.close() }
        for thread in threads {
            // A sink may drop the last reference to the transport, on a thread that is to end.
            if pthread_equal(thread, pthread_self()) == 0 {
                pthread_join(thread, nil)
            } else {
                pthread_detach(thread)
            }
        }
    }
}
