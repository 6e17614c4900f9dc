import Foundation
import Pawl

/// The second way: a delegate that is told of received bytes, of the file, and of the end.
final class MovingDelegate: DownloadSessionDelegate {
    /// One element, when the task has ended.
    let ends: AsyncStream<Result<Int64, any Error>>
    private let end: AsyncStream<Result<Int64, any Error>>.Continuation
    private let path: String

    init(movingTo path: String) {
        self.path = path
        (ends, end) = AsyncStream.makeStream()
    }

    func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64?
    ) {
        // The total is that of the whole file, even after a resume; `nil` if the server does not
        // report it.
        guard let total = totalBytesExpectedToWrite else { return }
        print("delegate: \(totalBytesWritten * 100 / max(1, total)) %")
    }

    func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didFinishDownloadingTo file: DownloadedFile
    ) {
        // A temporary file is removed soon after this has returned.
        end.yield(
            Result {
                try FileManager.default.moveItem(atPath: file.path, toPath: path)
                return file.byteCount
            }
        )
    }

    func session(
        _ session: DownloadSession,
        task: SessionTask,
        didCompleteWithError error: DownloadError?
    ) {
        if let error { end.yield(.failure(error)) }
        end.finish()
    }
}

func fetchWithDelegate(_ url: URL, to path: String) async throws -> Int64 {
    let delegate = MovingDelegate(movingTo: path)
    let session = DownloadSession(.default, delegate: delegate)
    session.downloadTask(with: url).resume()
    session.finishTasksAndInvalidate()
    for await end in delegate.ends { return try end.get() }
    throw CancellationError()
}
