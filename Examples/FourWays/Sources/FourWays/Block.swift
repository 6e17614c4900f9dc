import Foundation
import Pawl

/// The first way: a block that is called once, when the file is complete.
///
/// It receives a temporary file, which is removed when the block returns unless it was moved.
func fetchWithBlock(_ url: URL, to path: String) async throws -> Int64 {
    let session = DownloadSession()
    return try await withCheckedThrowingContinuation { continuation in
        let task = session.downloadTask(with: url) { result in
            continuation.resume(
                with: Result {
                    let file = try result.get()
                    try FileManager.default.moveItem(atPath: file.path, toPath: path)
                    return file.byteCount
                }
            )
        }
        task.resume()
    }
}
