import Foundation
import Pawl

private struct Release: Decodable {
    var name: String
}

private final class Listener: DownloadSessionDelegate {}

/// The code of the README and of the first page.
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
    try await commented(url, folder)
    try await commentedResuming(url, folder)
}

/// Code that appears only in comments.
private func commented(_ url: URL, _ folder: String) async throws {
    let downloader = Downloader()
    let file = try await downloader.download(url, to: .directory(folder))
    print(file.path, file.byteCount)

    let places = Places(applicationIdentifier: "org.example.player")
    let caches = try await places.folder(.caches)
    try await caches.write(Array("hello".utf8), to: "greeting.txt")
    print(try await caches.size())
}

private func commentedResuming(_ url: URL, _ folder: String) async throws {
    let downloader = Downloader()
    let download = downloader.makeDownload(url, to: .directory(folder))
    do {
        _ = try await download.run()
    } catch {
        guard let data = error.resumeData else { throw error }
        let again = try downloader.makeDownload(resuming: data)
        _ = try await again.run()
    }
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
