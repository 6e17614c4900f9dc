internal import PawlCore
internal import PawlStorage
internal import Synchronization

/// The last bytes of a file as one download requests them: their offsets follow from the size of the
/// file.
final class FileEnd: Sendable {
    let range: FileRange
    let transport: any Transport
    /// The threads that start further requests.
    let pool: BlockingPool
    /// The size of the file in the last response to a request for the whole part.
    private let size = Mutex<Int64?>(nil)

    init(_ range: FileRange, over transport: any Transport, pool: BlockingPool) {
        (self.range, self.transport, self.pool) = (range, transport, pool)
    }

    func found(size found: Int64) { size.withLock { $0 = found } }

    /// Starts an exchange, whose offsets are those of the part.
    func start(_ request: TransferRequest, sink: any TransferSink) -> any Transfer {
        // A resumed download continues the same part of the file with the known tag.
        let pinned = request.pinnedTag.flatMap { RangeView.end(markedIn: $0) }
        let total = request.range == nil ? nil : pinned ?? size.withLock { $0 }
        let transfer = FileEndTransfer(request, of: self, total: total, sink)
        transfer.start()
        return transfer
    }
}
