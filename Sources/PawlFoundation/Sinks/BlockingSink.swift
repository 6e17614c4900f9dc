internal import Dispatch
internal import Foundation
internal import Pawl
internal import PawlCore

/// Writes the pieces of a body one after another, on a queue of its own, because writing may block.
struct BlockingSink: Sendable {
    private let queue = DispatchQueue(label: "pawl-sink")
    private let write: @Sendable ([UInt8]) throws(DownloadError) -> Void

    /// Creates a sink that writes with `write`, which must write all of the bytes.
    init(_ write: @escaping @Sendable ([UInt8]) throws(DownloadError) -> Void) {
        self.write = write
    }

    /// Writes all pieces; the next one is requested when the previous one is written.
    ///
    /// Returns the number of bytes.
    func writeAll<Pieces: AsyncSequence<[UInt8], DownloadError>>(
        _ pieces: Pieces,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(DownloadError) -> Int64 {
        var count: Int64 = 0
        var iterator = pieces.makeAsyncIterator()
        while let piece = try await iterator.next(isolation: isolation) {
            try await writeOne(piece)
            count += Int64(piece.count)
        }
        return count
    }

    private func writeOne(_ piece: [UInt8]) async throws(DownloadError) {
        let result = await withCheckedContinuation { continuation in
            queue.async { [write] in
                continuation.resume(
                    returning: BrokenPipe.withoutSignal { Self.result(piece, write) }
                )
            }
        }
        try result.get()
    }

    private static func result(
        _ piece: [UInt8],
        _ write: ([UInt8]) throws(DownloadError) -> Void
    ) -> Result<Void, DownloadError> {
        do throws(DownloadError) {
            return .success(try write(piece))
        } catch {
            return .failure(error)
        }
    }
}

extension DownloadError {
    /// Creates the error of a sink that does not take the bytes; `error` is the sink's own.
    init(sink error: any Error) {
        let isFull = Self.isFull(error as NSError)
        self.init(
            isFull ? .diskFull : .diskFailure,
            "the body could not be written: \(error.localizedDescription)",
            advice: isFull ? "free some space, then send the request again" : ""
        )
        cause = error
    }

    /// Whether there is no space on the file system, or the quota is used up.
    private static func isFull(_ error: NSError) -> Bool {
        switch error.domain {
        case NSPOSIXErrorDomain: return [Int(ENOSPC), Int(EDQUOT)].contains(error.code)
        case NSCocoaErrorDomain where error.code == CocoaError.fileWriteOutOfSpace.rawValue:
            return true
        default:
            let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError
            return cause.map(isFull) ?? false
        }
    }
}
