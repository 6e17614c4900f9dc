public import PawlCore

/// The body of a data task in pieces as they arrive.
///
/// ```swift
/// for try await chunk in other.bytes { try handle.write(contentsOf: Data(chunk)) }
/// ```
///
/// For text, `lines` has the lines instead of the chunks.
///
/// It is read once, by one reader. A few hundred KiB at most wait for the reader; then the server
/// waits, too. If the reader stops before the end, the task is cancelled.
public struct TaskBytes: ChunkSequence {
    /// A piece of the body.
    ///
    /// It contains the bytes that arrived together and is never empty.
    public typealias Element = [UInt8]
    /// The reason why the body is not complete.
    public typealias Failure = DownloadError

    let task: DataTask

    /// Starts reading.
    public func makeAsyncIterator() -> Iterator { Iterator(task) }

    /// Reads the pieces one after another.
    ///
    /// Releasing it before the end cancels the task.
    public struct Iterator: AsyncIteratorProtocol {
        private final class Reader: Sendable {
            let task: DataTask
            let permission: Result<Void, DownloadError>

            init(_ task: DataTask) {
                self.task = task
                permission = task.startReading()
            }

            deinit {
                // A reader that was refused has nothing to end.
                if case .success = permission { task.cancel() }
            }
        }

        private let reader: Reader

        init(_ task: DataTask) { reader = Reader(task) }

        /// Returns the next piece; `nil` at the end of the body.
        public mutating func next() async throws(DownloadError) -> [UInt8]? {
            try reader.permission.get()
            return try await reader.task.nextBytes()
        }

        /// Returns the next piece; `nil` at the end of the body.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(DownloadError) -> [UInt8]? {
            try reader.permission.get()
            return try await reader.task.nextBytes()
        }
    }
}
