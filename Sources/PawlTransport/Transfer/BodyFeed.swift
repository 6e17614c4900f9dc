internal import CCurl
internal import PawlCore

/// The body of a request as libcurl reads it while it sends it.
///
/// Used by the loop's thread only.
final class BodyFeed {
    private let source: any BodySource
    /// What the source calls when it has bytes again.
    private var wake: @Sendable () -> Void = {}
    /// The length that was announced; `nil` if none was.
    private var announced: Int64?
    /// The number of bytes read since the beginning of the body.
    ///
    /// Visible to the transfer.
    private(set) var readBytes: Int64 = 0

    /// Whether libcurl waits for the source.
    ///
    /// Visible to the loop.
    private(set) var isPaused = false
    /// Why the body cannot be sent; `nil` if it can.
    ///
    /// Visible to the transfer.
    private(set) var failure: TransferFailure?

    init(_ source: any BodySource) { self.source = source }

    var trailers: [HTTPField] { source.trailers }

    /// Whether the body can be sent from its first byte.
    var canRestart: Bool { failure == nil && (readBytes == 0 || source.isRepeatable) }

    /// Begins the body for a new exchange.
    func begin(_ wake: @escaping @Sendable () -> Void) throws(TransferFailure) {
        self.wake = wake
        failure = nil
        announced = source.length
        guard restart() else { throw failure ?? TransferFailure(.bodyNotRepeatable, "") }
    }

    /// Begins again at the first byte; returns `false` if that is not possible.
    func restart() -> Bool {
        isPaused = false
        guard source.begin(wake) else {
            failure = TransferFailure(.bodyNotRepeatable, "")
            return false
        }
        readBytes = 0
        return true
    }

    /// Fills libcurl's buffer; returns the number of bytes, or a code that pauses or ends the
    /// transfer.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard failure == nil else { return Int(CURL_READFUNC_ABORT) }
        switch source.read(into: buffer) {
        case .bytes(let count):
            guard (1...buffer.count).contains(count) else {
                return fail("\(count) bytes were read into a buffer of \(buffer.count)")
            }
            readBytes += Int64(count)
            guard readBytes <= announced ?? .max else { return failLength() }
            return count
        case .later:
            isPaused = true
            return Int(CURL_READFUNC_PAUSE)
        case .end:
            guard readBytes == announced ?? readBytes else { return failLength() }
            return 0
        case .failed(let reason): return fail(reason)
        }
    }

    /// Notes that a part of the final response was received.
    ///
    /// After an error, and at the end of a response that closes the connection, libcurl sends no more
    /// (7.88). The exchange would not end while it is paused for a source without bytes.
    func receivedResponse() {
        if isPaused { wake() }
    }

    /// Notes that libcurl continues; returns `false` if it did not wait.
    func endPause() -> Bool {
        defer { isPaused = false }
        return isPaused
    }

    private func failLength() -> Int {
        fail("it does not have the length announced, \(announced ?? 0) bytes")
    }

    private func fail(_ reason: String) -> Int {
        failure = TransferFailure(.bodyUnreadable, reason)
        return Int(CURL_READFUNC_ABORT)
    }
}
