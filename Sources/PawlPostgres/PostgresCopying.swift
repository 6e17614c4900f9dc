internal import PawlCore

/// A COPY whose rows the server accepts.
final class PostgresCopying {
    private let stream: PostgresCopyStream
    /// Bytes that are taken from the stream and not yet in libpq's buffer.
    private var taken: [UInt8] = []
    /// The number of bytes in libpq's buffer.
    private var buffered = 0
    private var end: (PostgresCopyStream.End, Moment)?
    private var lastProgress: Moment
    /// Whether the end of the rows is in libpq's buffer.
    var hasEnded: Bool { isEndSent }
    private var isEndSent = false

    init(_ stream: PostgresCopyStream, at now: Moment) {
        self.stream = stream
        lastProgress = now
    }

    /// When some bytes, or the answer to the end, must have been sent or received.
    var deadline: Moment {
        if buffered > 0 || !taken.isEmpty { return lastProgress + stream.stallTime }
        return hasEnded ? end?.1 ?? .distantFuture : .distantFuture
    }

    /// Puts bytes into libpq's buffer once that is empty, and the end after the last ones.
    func advance(_ link: PostgresLink, at now: Moment) throws(PostgresError) {
        guard !hasEnded, buffered == 0 else { return }
        if taken.isEmpty {
            let (bytes, end) = stream.take()
            (taken, self.end) = (bytes, end)
            if !bytes.isEmpty { lastProgress = now }
        }
        if !taken.isEmpty {
            guard try link.put(taken) else { return }
            buffered = taken.count
            taken = []
            return
        }
        guard let end else { return }
        let reason = end.0 == .discard ? "the sender has discarded the rows" : nil
        isEndSent = try link.endCopy(discarding: reason)
    }

    /// Records that libpq's buffer is empty; returns whether there is more to put into it.
    func flushed(at now: Moment) -> Bool {
        guard buffered > 0 else { return false }
        lastProgress = now
        let bytes = buffered
        buffered = 0
        stream.sent(bytes)
        return true
    }
}
