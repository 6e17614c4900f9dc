public import PawlCore

/// The body of a data task in pieces, as they come.
///
/// ```swift
/// for try await chunk in other.bytes { try handle.write(contentsOf: Data(chunk)) }
/// ```
///
/// It is read once, by one reader. What comes waits for the reader, at most a few hundred KiB of it;
/// then the server waits, too. Who stops reading before the end cancels the task.
public struct TaskBytes: AsyncSequence, Sendable {
    /// A piece of the body, as large as came together; never an empty one.
    public typealias Element = [UInt8]
    /// Why the body is not whole.
    public typealias Failure = DownloadError

    let task: DataTask

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator { Iterator(task) }

    /// Reads the pieces, one after the other; letting it go before the end cancels the task.
    public struct Iterator: AsyncIteratorProtocol {
        private final class Reader: Sendable {
            let task: DataTask
            let claim: Result<Void, DownloadError>

            init(_ task: DataTask) {
                self.task = task
                claim = task.claimBytes()
            }

            deinit {
                // One that was refused has nothing to end.
                if case .success = claim { task.cancel() }
            }
        }

        private let reader: Reader

        init(_ task: DataTask) { reader = Reader(task) }

        /// The next piece; nil at the end of the body.
        public mutating func next() async throws(DownloadError) -> [UInt8]? {
            try reader.claim.get()
            return try await reader.task.nextBytes()
        }

        /// The next piece; nil at the end of the body.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(DownloadError) -> [UInt8]? {
            try reader.claim.get()
            return try await reader.task.nextBytes()
        }
    }
}
