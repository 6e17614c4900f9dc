public import Foundation
public import Pawl
internal import PawlCore

extension DataTask {
    /// Writes the body to a file handle as it arrives, and returns the number of bytes.
    ///
    /// The body is written at the handle's offset. The next piece is fetched while one is written,
    /// but no more: a slow file or pipe slows the server down. The handle stays open. Like
    /// `stream(to:)`, this does not start the task; `resume()` does. Cancelling the Swift task that
    /// awaits it cancels this task, after the write that is in progress.
    ///
    /// - Throws: `DownloadError`: with the code `.diskFull` or `.diskFailure` if writing fails,
    ///   which cancels the task; `cause` is the handle's own error.
    @discardableResult
    public func write(to handle: FileHandle) async throws(DownloadError) -> Int64 {
        try await BlockingSink(handle).writeAll(bytes)
    }

    /// Writes the body to an output stream as it arrives, and returns the number of bytes.
    ///
    /// The stream is opened if it is not open, and is not closed. Do not use it elsewhere until
    /// this returns. Everything else is as in `write(to:)` for a `FileHandle`.
    ///
    /// - Throws: `DownloadError`: with the code `.diskFull` or `.diskFailure` if writing fails,
    ///   which cancels the task; `cause` is the stream's own error.
    @discardableResult
    public nonisolated(nonsending) func write(
        to stream: OutputStream
    ) async throws(DownloadError) -> Int64 {
        try await BlockingSink(stream).writeAll(bytes)
    }
}

extension DataStream {
    /// Writes the body to a file handle as it arrives, and returns the number of bytes.
    ///
    /// The body is written at the handle's offset. The next piece is fetched while one is written,
    /// but no more: a slow file or pipe slows the server down. The handle stays open.
    ///
    /// - Throws: `DownloadError`: with the code `.diskFull` or `.diskFailure` if writing fails,
    ///   which ends the request; `cause` is the handle's own error.
    @discardableResult
    public func write(to handle: FileHandle) async throws(DownloadError) -> Int64 {
        try await BlockingSink(handle).writeAll(self)
    }

    /// Writes the body to an output stream as it arrives, and returns the number of bytes.
    ///
    /// The stream is opened if it is not open, and is not closed. Do not use it elsewhere until
    /// this returns.
    ///
    /// - Throws: `DownloadError`: with the code `.diskFull` or `.diskFailure` if writing fails,
    ///   which ends the request; `cause` is the stream's own error.
    @discardableResult
    public nonisolated(nonsending) func write(
        to stream: OutputStream
    ) async throws(DownloadError) -> Int64 {
        try await BlockingSink(stream).writeAll(self)
    }
}

extension BlockingSink {
    fileprivate init(_ handle: FileHandle) {
        self.init { bytes throws(DownloadError) in
            do {
                try handle.write(contentsOf: Data(bytes))
            } catch {
                throw DownloadError(sink: error)
            }
        }
    }

    fileprivate init(_ stream: OutputStream) {
        // Only the queue uses it until the last piece is written.
        nonisolated(unsafe) let stream = stream
        self.init { bytes throws(DownloadError) in try stream.writeWhole(bytes) }
    }
}

extension OutputStream {
    fileprivate func writeWhole(_ bytes: [UInt8]) throws(DownloadError) {
        if streamStatus == .notOpen { open() }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBufferPointer { buffer in
                buffer.baseAddress.map { write($0, maxLength: buffer.count) } ?? 0
            }
            guard count > 0 else { throw failure }
            rest = rest.dropFirst(count)
        }
    }

    private var failure: DownloadError {
        // On Linux, reading the error of a stream without one may crash.
        (streamStatus == .error ? streamError : nil).map { DownloadError(sink: $0) }
            ?? DownloadError(.diskFailure, "the stream takes no more bytes of the body")
    }
}
