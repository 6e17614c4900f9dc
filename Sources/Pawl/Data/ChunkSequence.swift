public import PawlCore

/// The body of a response in chunks, as they arrive: a ``DataStream``, or the ``DataTask/bytes`` of a
/// data task.
public protocol ChunkSequence: AsyncSequence<[UInt8], DownloadError>, Sendable {}

extension ChunkSequence {
    /// The lines of the body, each at most 1 MiB long.
    ///
    /// ```swift
    /// for try await line in try await session.bytes(from: url).lines {
    ///     print(line)
    /// }
    /// ```
    ///
    /// Everything else is as in `lines(limit:)`.
    public var lines: LineSequence<Self> { lines(limit: LineSplitter.usualLimit) }

    /// Returns the lines of the body as they arrive, each as a `String` without its line end.
    ///
    /// A line ends with `\n` or `\r\n`; a `\r` alone, and the separators of Unicode, are part of a
    /// line. Empty lines are lines, too. After the last line end, there is a last line only if there
    /// are bytes. The bytes are read as UTF-8, whatever the response's `charset` is: what is not
    /// valid becomes U+FFFD, and a mark at the beginning is not part of the first line.
    ///
    /// If a line is longer than `limit` bytes, its end not counted, the sequence ends with an error
    /// with the code `.tooLarge`, and the request is ended. If the body is not complete, the lines
    /// that were complete come first, and then the error.
    public func lines(limit: Int) -> LineSequence<Self> { LineSequence(self, limit: limit) }
}
