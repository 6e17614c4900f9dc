public import PawlCore

/// The lines of a text, as they arrive.
///
/// Unlike `lines` of Foundation's `URLSession.AsyncBytes`, it keeps empty lines, ends lines only at
/// `\n` and `\r\n`, and limits the length of a line.
public struct LineSequence<Chunks: ChunkSequence>: AsyncSequence, Sendable {
    /// A line without its line end.
    public typealias Element = String
    /// The reason why the text is not complete, or that a line is too long.
    public typealias Failure = DownloadError

    private let chunks: Chunks
    private let limit: Int

    init(_ chunks: Chunks, limit: Int) {
        self.chunks = chunks
        self.limit = limit
    }

    /// Starts reading.
    public func makeAsyncIterator() -> Iterator {
        Iterator(chunks.makeAsyncIterator(), limit: limit)
    }

    /// Reads the lines one after another.
    ///
    /// Releasing it ends the request.
    public struct Iterator: AsyncIteratorProtocol {
        /// `nil` when nothing more is to be read.
        private var chunks: Chunks.AsyncIterator?
        private var splitter: LineSplitter
        private let limit: Int

        init(_ chunks: Chunks.AsyncIterator, limit: Int) {
            self.chunks = chunks
            splitter = LineSplitter(limit: limit)
            self.limit = limit
        }

        /// Returns the next line; `nil` at the end of the text.
        public mutating func next() async throws(DownloadError) -> String? {
            try await next(isolation: nil)
        }

        /// Returns the next line; `nil` at the end of the text.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(DownloadError) -> String? {
            while chunks != nil {
                if let line = try line(atEnd: false) { return line }
                guard let chunk = try await chunks?.next(isolation: actor) else {
                    chunks = nil
                    return try line(atEnd: true)
                }
                splitter.append(chunk)
            }
            return nil
        }

        /// Returns the next line of the chunks so far.
        ///
        /// If it is too long, nothing more is read.
        private mutating func line(atEnd isAtEnd: Bool) throws(DownloadError) -> String? {
            do throws(LineSplitter.LineTooLong) {
                return try isAtEnd ? splitter.last() : splitter.next()
            } catch {
                chunks = nil
                throw DownloadError(
                    .tooLarge,
                    "a line has more than \(limit) bytes",
                    advice: "read the chunks, or raise the limit with lines(limit:)",
                    context: "reading a response line by line"
                )
            }
        }
    }
}
