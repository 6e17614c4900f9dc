internal import PawlCore

/// A COPY whose rows the server accepts.
final class PostgresCopyDriver {
    private let rows: PostgresCopyRows
    /// The maximum number of bytes in libpq's buffer, so that a slow server makes progress within
    /// the time that it has for them.
    private static let mostBuffered = 64 << 10

    /// Bytes that are taken from the rows and not yet in libpq's buffer.
    private var taken: ArraySlice<UInt8> = []
    /// The number of bytes in libpq's buffer.
    private var buffered = 0
    private var end: PostgresCopyRows.End?
    private var lastProgress: Moment
    /// Whether the end of the rows is in libpq's buffer.
    ///
    /// Visible to the connection's thread.
    private(set) var hasEnded = false

    init(_ rows: PostgresCopyRows, at now: Moment) {
        self.rows = rows
        lastProgress = now
    }

    /// When the server must have taken some bytes, or have answered the requested end.
    var deadline: Moment {
        let end = rows.deadline ?? .distantFuture
        guard buffered > 0 || !taken.isEmpty else { return end }
        return min(end, lastProgress + rows.stallTime)
    }

    /// Puts bytes into libpq's buffer once that is empty, and the end after the last ones.
    func advance(_ link: PostgresLink, at now: Moment) throws(PostgresError) {
        guard !hasEnded, buffered == 0 else { return }
        if taken.isEmpty {
            let (bytes, end) = rows.take()
            (taken, self.end) = (bytes[...], end)
            if !bytes.isEmpty { lastProgress = now }
        }
        if !taken.isEmpty {
            let piece = taken.prefix(Self.mostBuffered)
            guard try link.put(piece) else { return }
            buffered = piece.count
            taken = taken.dropFirst(piece.count)
            return
        }
        guard let end else { return }
        let reason = end == .discard ? "the sender has discarded the rows" : nil
        hasEnded = try link.endCopy(discarding: reason)
    }

    /// Records that libpq's buffer is empty; returns whether there is more to put into it.
    func flushed(at now: Moment) -> Bool {
        guard buffered > 0 else { return false }
        lastProgress = now
        let bytes = buffered
        buffered = 0
        rows.sent(bytes)
        return true
    }
}
