import Foundation
import Pawl

private struct Release: Decodable {
    var name: String
}

private final class Listener: DownloadSessionDelegate {}

/// The code of the README and of the first page.
func overview(_ sample: Sample) async throws {
    let (url, folder) = (sample.url, sample.folder)
    let task = DownloadSession.shared.downloadTask(with: url, to: .directory(folder))
    task.resume()
    for await progress in task.progress { print(progress.fraction ?? 0, progress.bytesPerSecond) }
    print(try await task.file.path)

    try await likeURLSession(url, sample.latest)
    try await commented(url, folder)
    try await commentedResuming(url, folder)
}

/// Code that appears only in comments.
private func commented(_ url: URL, _ folder: String) async throws {
    let file = try await DownloadSession.shared.download(url, to: .directory(folder))
    print(file.path, file.byteCount)

    let places = Places(applicationIdentifier: "org.example.player")
    let caches = try await places.folder(.caches)
    try await caches.write(Array("hello".utf8), to: "greeting.txt")
    print(try await caches.size())
}

private func commentedResuming(_ url: URL, _ folder: String) async throws {
    let session = DownloadSession.shared
    do {
        _ = try await session.download(url, to: .directory(folder))
    } catch {
        guard let data = error.resumeData else { throw error }
        _ = try await session.download(resuming: data)
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
