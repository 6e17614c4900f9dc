internal import PawlCore

/// The caller's reference to a transfer.
///
/// It only posts commands to the loop.
final class CurlTransfer: Transfer {
    private let context: TransferContext
    private let loop: TransferLoop

    init(context: TransferContext, loop: TransferLoop) {
        self.context = context
        self.loop = loop
    }

    func cancel() { loop.cancel(context) }

    func resume() { loop.resume(context) }

    func nudge() { loop.nudge(context) }
}
