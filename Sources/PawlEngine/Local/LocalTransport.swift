internal import PawlCore
internal import PawlStorage

/// Serves the URLs whose bytes are on this computer, and passes all other requests on.
///
/// libcurl reads files on the thread that serves the network, so a slow disk would delay all other
/// transfers.
struct LocalTransport: Transport {
    private let network: any Transport
    private let surroundings: LocalTransfer.Surroundings

    init(over network: any Transport, _ surroundings: LocalTransfer.Surroundings) {
        (self.network, self.surroundings) = (network, surroundings)
    }

    func start(_ request: TransferRequest, sink: any TransferSink) -> any Transfer {
        guard request.scheme.isLocal else { return network.start(request, sink: sink) }
        let transfer = LocalTransfer(request, sink: sink, surroundings)
        transfer.begin()
        return transfer
    }

    var workTimes: [Duration] { network.workTimes }
}
