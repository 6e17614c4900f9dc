public import PawlCore
package import PawlEngine

/// A server's answer as it comes: its head, then its body in pieces.
///
/// ```swift
/// let answer = try await session.bytes(from: url)
/// for try await chunk in answer {
///     try handle.seekToEnd()
///     try handle.write(contentsOf: Data(chunk))
/// }
/// ```
///
/// What comes waits for the reader, at most 256 KiB of it; then the server waits, too. The body is
/// read once, by one reader. Who stops reading, or lets the stream go, ends it at once.
public struct DataStream: AsyncSequence, Sendable {
    /// A piece of the body, as large as came together; never an empty one.
    public typealias Element = [UInt8]
    /// Why the body is not whole.
    public typealias Failure = DownloadError

    /// What the server said before the first byte.
    public let response: DownloadResponse
    let driver: StreamDriver

    init(_ response: DownloadResponse, _ driver: StreamDriver) {
        self.response = response
        self.driver = driver
    }

    /// Sends a request; returns with the answer's head, before a byte of its body is fetched.
    ///
    /// Redirects are followed, and failures that pass are waited for where the method allows it
    /// (RFC 9110 §9.2.2). A status from 400 on is an error unless the order takes it.
    package static func open(
        _ order: StreamOrder,
        engine: Engine
    ) async throws(DownloadError) -> DataStream {
        let driver = StreamDriver(order, engine: engine)
        return DataStream(try await driver.open(), driver)
    }

    /// How many bytes of the body came, read or not.
    public var receivedBytes: Int64 { driver.receivedBytes }

    /// What the request took so far.
    public var metrics: TaskMetrics { driver.metrics }

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator { Iterator(driver) }

    /// Ends the answer at once, and with it its connection.
    public func cancel() { driver.cancel() }

    /// Nothing comes from now on; the connection stays as long as the server bears it.
    public func suspend() { driver.suspend() }

    /// What was suspended goes on.
    public func resume() { driver.resume() }

    /// Hands each piece of the body to a closure, and fetches no more than a bufferful meanwhile.
    ///
    /// - Throws: `DownloadError`, or what the closure throws, which ends the answer.
    public func stream(to sink: @Sendable ([UInt8]) async throws -> Void) async throws {
        for try await chunk in self { try await sink(chunk) }
    }

    /// The whole body in memory.
    ///
    /// `limit` is 64 MiB by default. Where the server says that there is more, nothing is fetched;
    /// where it does not say, the answer ends when there is.
    ///
    /// - Throws: `DownloadError`, of the code `.tooLarge` where it is.
    public func collect(
        limit: Int64 = FetchedData.defaultLimit
    ) async throws(DownloadError) -> FetchedData {
        FetchedData(try await driver.collect(limit: limit))
    }

    /// Reads the pieces, one after the other; letting it go ends the answer.
    public struct Iterator: AsyncIteratorProtocol {
        private final class Reader: Sendable {
            let driver: StreamDriver

            init(_ driver: StreamDriver) { self.driver = driver }

            deinit { driver.cancel() }
        }

        private let reader: Reader

        init(_ driver: StreamDriver) { reader = Reader(driver) }

        /// The next piece; nil at the end of the body.
        public mutating func next() async throws(DownloadError) -> [UInt8]? {
            try await reader.driver.next()
        }

        /// The next piece; nil at the end of the body.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(DownloadError) -> [UInt8]? {
            try await reader.driver.next()
        }
    }
}
