import Foundation
import Pawl

private struct Release: Decodable {
    var name: String
}

private final class Listener: DownloadSessionDelegate {}

/// The README's code, and the first page's.
func overview(_ sample: Sample) async throws {
    let (url, folder) = (sample.url, sample.folder)
    let downloader = Downloader()
    let download = downloader.makeDownload(url, to: .directory(folder))
    async let file = download.run()
    for await progress in download.updates {
        print(progress.fraction ?? 0, progress.bytesPerSecond)
    }
    print(try await file.path)

    try await likeURLSession(url, sample.latest)
}

private func likeURLSession(_ url: URL, _ other: URL) async throws {
    let delegate = Listener()
    let session = DownloadSession(.default, delegate: delegate)
    let task = session.downloadTask(with: url, to: .place(.documents))
    task.resume()  // suspend(), pause(), cancel() …
    let resumeData = await task.cancelByProducingResumeData()
    let release = try await session.data(from: other).json(Release.self)
    print(resumeData?.receivedBytes ?? 0, release.name)
}
