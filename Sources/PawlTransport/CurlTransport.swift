internal import CCrypto
internal import Glibc
package import PawlCore

/// Transfers bytes with libcurl, on up to four threads plus one for transfers that share
/// connections.
///
/// Each thread starts when it is first needed. Several transports may share the threads; each has
/// connections of its own.
package final class CurlTransport: Transport {
    private let loops: LoopSet
    private let tenant = LoopTenant()

    /// The number of loops: one per core, up to four.
    ///
    /// TLS is what keeps a core busy.
    package static var loopsByCores: Int {
        min(4, max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    }

    /// Creates a transport with threads of its own.
    package convenience init(loops: Int = CurlTransport.loopsByCores) {
        self.init(LoopSet(loops: min(4, max(1, loops))))
    }

    private init(_ loops: LoopSet) {
        OwnNetwork.prepare()
        _ = Self.keepsOpenSSL
        self.loops = loops
    }

    /// Whether OpenSSL stays usable until the process has ended.
    ///
    /// Otherwise it frees its state in a handler of `exit`, while threads may still be closing
    /// connections, and crashes them. Only the first call of OpenSSL can decide that; `pawl`, which
    /// may have called it before, ends without such handlers.
    private static let keepsOpenSSL =
        OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) == 1

    /// Returns a transport whose threads serve all such transports of the process.
    package static func sharingThreads() -> CurlTransport {
        CurlTransport(LoopSet.ofProcess(loops: loopsByCores))
    }

    deinit {
        // A running transfer ends by itself; nobody waits for it.
        for loop in leaving() { _ = loop.leave(tenant) }
    }

    /// Starts a transfer.
    ///
    /// After `shutDown` no thread can run it: then the sink receives its end at once.
    package func start(_ request: TransferRequest, sink: any TransferSink) -> any Transfer {
        let origin = request.url.origin
        let isShared = mayShare(request, origin)
        let context = TransferContext(
            request: request,
            origin: origin,
            tenant: tenant,
            sharing: isShared ? Sharing() : nil,
            sink: sink
        )
        let loop: TransferLoop
        if isShared || !request.scheme.isHTTP {
            loop = isShared ? loops.multiplexed : loops.files
            loop.transferAssigned()
        } else {
            loop = loops.separate.chooseLoop(context.connectionKey)
        }
        loop.start(context)
        return CurlTransfer(context: context, loop: loop)
    }

    private func mayShare(_ request: TransferRequest, _ origin: String) -> Bool {
        let isWanted =
            switch request.connection.httpVersion {
            // Negotiate signs in a connection.
            case nil, .http2:
                request.multiplexes && request.connection.authentication != .negotiate
            case .http1, .http3: false
            }
        return isWanted && origin.hasPrefix("https:") && CurlHandle.seesNegotiation
            && !tenant.serialOrigins.contains(origin)
    }

    package var workTimes: [Duration] { loops.all.compactMap(\.workTime) }

    /// Ends all transfers with `.cancelled`, closes the connections, and waits for that.
    package func shutDown() {
        let departures = leaving().compactMap { $0.leave(tenant) }
        for departure in departures { departure.wait() }
    }

    /// Refuses new transfers; returns the loops that may have transfers or connections.
    private func leaving() -> [TransferLoop] { tenant.close() ? loops.all : [] }
}
