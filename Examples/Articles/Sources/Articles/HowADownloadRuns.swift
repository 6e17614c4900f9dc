import Foundation
import Pawl

func howADownloadRuns(_ sample: Sample) async throws {
    try await heldAndPaused(sample.url, sample.folder)
    try await cancelledAwaiting(sample.url, sample.folder)
}

private func heldAndPaused(_ url: URL, _ folder: String) async throws {
    let session = DownloadSession()
    let task = session.downloadTask(with: url, to: .file(folder + "/disk.iso"))
    task.resume()
    task.suspend()
    task.resume()
    await task.pause()
    task.resume()
    let file = try await task.file
    print(file.path)
}

private func cancelledAwaiting(_ url: URL, _ folder: String) async throws {
    let session = DownloadSession()
    let waiting = Task {
        try await session.download(url, to: .file(folder + "/other.iso"))
    }
    waiting.cancel()
    let file = try await session.download(url, to: .file(folder + "/other.iso"))
    print(file.byteCount)
}
