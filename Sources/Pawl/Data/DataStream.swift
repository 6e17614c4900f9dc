public import PawlCore
package import PawlEngine

/// A server's response as it arrives: its head, then its body in pieces.
///
/// ```swift
/// let answer = try await session.bytes(from: url)
/// for try await chunk in answer {
///     try handle.seekToEnd()
///     try handle.write(contentsOf: Data(chunk))
/// }
/// ```
///
/// For text, `lines` has the lines instead of the chunks.
///
/// Up to 256 KiB are buffered for the reader; then the server has to wait. The body is read once,
/// by one reader. If the reader stops or releases the stream, the request ends immediately.
public struct DataStream: ChunkSequence {
    /// A piece of the body.
    ///
    /// It contains the bytes that arrived together and is never empty.
    public typealias Element = [UInt8]
    /// The reason why the body is not complete.
    public typealias Failure = DownloadError

    /// The server's response before the first byte of the body.
    public let response: DownloadResponse
    let driver: StreamDriver

    init(_ response: DownloadResponse, _ driver: StreamDriver) {
        self.response = response
        self.driver = driver
    }

    /// Sends a request.
    ///
    /// Returns the response's head before any byte of its body is fetched.
    ///
    /// Redirects are followed, and temporary failures are retried if the method allows it (RFC 9110
    /// §9.2.2). A status of 400 or higher is an error unless the order accepts it.
    package static func open(
        _ job: StreamJob,
        engine: Engine
    ) async throws(DownloadError) -> DataStream {
        let driver = StreamDriver(job, engine: engine)
        return DataStream(try await driver.open(), driver)
    }

    /// The number of bytes of the body received so far, read or not.
    public var receivedBytes: Int64 { driver.receivedBytes }

    /// The measurements of the request so far.
    public var metrics: TaskMetrics { driver.metrics }

    /// Starts reading.
    public func makeAsyncIterator() -> Iterator { Iterator(driver) }

    /// Ends the request and its connection at once.
    public func cancel() { driver.cancel() }

    /// Stops receiving bytes.
    ///
    /// The connection stays open while the server allows it.
    public func suspend() { driver.suspend() }

    /// Continues after `suspend()`.
    public func resume() { driver.resume() }

    /// Passes each piece of the body to a closure, and fetches at most one buffer ahead.
    ///
    /// - Throws: `DownloadError`, or the closure's error, which ends the request.
    public nonisolated(nonsending) func stream(
        to sink: nonisolated(nonsending) ([UInt8]) async throws -> Void
    ) async throws {
        for try await chunk in self { try await sink(chunk) }
    }

    /// Returns the whole body in memory.
    ///
    /// The default of `limit` is 64 MiB. If the server announces more, nothing is fetched; if it
    /// announces no length, the request ends when the limit is exceeded.
    ///
    /// - Throws: `DownloadError`, with the code `.tooLarge` if the body is larger.
    public func collect(
        limit: Int64 = FetchedData.defaultLimit
    ) async throws(DownloadError) -> FetchedData {
        FetchedData(try await driver.collect(limit: limit))
    }

    /// Reads the pieces one after another.
    ///
    /// Releasing it ends the request.
    public struct Iterator: AsyncIteratorProtocol {
        private final class Reader: Sendable {
            let driver: StreamDriver

            init(_ driver: StreamDriver) { self.driver = driver }

            deinit { driver.cancel() }
        }

        private let reader: Reader

        init(_ driver: StreamDriver) { reader = Reader(driver) }

        /// Returns the next piece; `nil` at the end of the body.
        public mutating func next() async throws(DownloadError) -> [UInt8]? {
            try await reader.driver.next()
        }

        /// Returns the next piece; `nil` at the end of the body.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(DownloadError) -> [UInt8]? {
            try await reader.driver.next()
        }
    }
}
