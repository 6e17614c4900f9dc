import Foundation
import Pawl

private struct Release: Decodable {
    var name: String
}

func comingFromURLSession(_ sample: Sample) async throws {
    let (url, folder) = (sample.url, sample.folder)
    try await smallThing(sample.latest)
    try await ownRequest(sample.latest)
    try await withBlock(url, folder + "/block.iso")
    try await withDelegate(url, folder)
    try await withChunks(url, folder + "/chunks.iso")
    try await withDataTasks(sample.latest, url, folder + "/pieces.iso")
    try await withHandler(sample.latest)
    try await resumed(url, folder + "/later.iso")
    try await ownConfiguration(url, folder)
}

private func smallThing(_ url: URL) async throws {
    let session = DownloadSession()
    let release = try await session.data(from: url).json(Release.self)
    print(release.name)
}

private func ownRequest(_ url: URL) async throws {
    let session = DownloadSession()
    var request = DownloadRequest(url)
    request.method = "POST"
    request.setValue("yes", forHTTPHeaderField: "X-Own")
    request.body = Array("a=1".utf8)
    let answer = try await session.data(for: request)
    print(answer.response.status)
}

private func withBlock(_ url: URL, _ target: String) async throws {
    let session = DownloadSession()
    let task = session.downloadTask(with: url) { result in
        guard case .success(let file) = result else { return }
        try? FileManager.default.moveItem(atPath: file.path, toPath: target)
    }
    task.resume()
    _ = try await task.file
}

final class Reporter: DownloadSessionDelegate {
    func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64?
    ) {
        guard let total = totalBytesExpectedToWrite else { return }
        print(Double(totalBytesWritten) / Double(total))
    }

    func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64?
    ) {
        print("resumes at", fileOffset)
    }

    func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didFinishDownloadingTo file: DownloadedFile
    ) {
        print("is at", file.path)
    }

    func session(
        _ session: DownloadSession,
        task: SessionTask,
        didCompleteWithError error: DownloadError?
    ) {
        if let error { print(error.code.rawValue, error.resumeData?.receivedBytes ?? 0) }
    }
}

private func withDelegate(_ url: URL, _ folder: String) async throws {
    let session = DownloadSession(.default, delegate: Reporter())
    let task = session.downloadTask(with: url, to: .directory(folder))
    task.resume()
    _ = try await task.file
}

private func withChunks(_ url: URL, _ target: String) async throws {
    let session = DownloadSession()
    guard FileManager.default.createFile(atPath: target, contents: nil),
        let handle = FileHandle(forWritingAtPath: target)
    else { return }
    let answer = try await session.bytes(from: url)
    for try await chunk in answer {
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(chunk))
    }

    try await session.bytes(from: url).stream { chunk in
        try handle.write(contentsOf: Data(chunk))
    }
    try handle.close()
}

private func withDataTasks(_ url: URL, _ large: URL, _ target: String) async throws {
    let session = DownloadSession()
    let task = session.dataTask(with: url)
    task.resume()
    let release = try await task.data.json(Release.self)
    print(release.name)

    guard FileManager.default.createFile(atPath: target, contents: nil),
        let handle = FileHandle(forWritingAtPath: target)
    else { return }
    let other = session.dataTask(with: large)
    other.resume()
    for try await chunk in other.bytes { try handle.write(contentsOf: Data(chunk)) }
    try handle.close()
}

private func withHandler(_ url: URL) async throws {
    let session = DownloadSession()
    let task = session.dataTask(with: url) { result in
        switch result {
        case .success(let fetched): print(fetched.bytes.count, fetched.response.status)
        case .failure(let error): print(error)
        }
    }
    task.resume()
    _ = try await task.data
}

private func resumed(_ url: URL, _ target: String) async throws {
    let session = DownloadSession()
    let task = session.downloadTask(with: url, to: .file(target))
    task.resume()
    for await progress in task.progress where progress.completedBytes > 0 { break }
    if let data = await task.cancelByProducingResumeData() {
        let again = try session.downloadTask(withResumeData: data)
        again.resume()
        _ = try await again.file
    } else if let obstacle = task.error?.resumeObstacle {
        print(obstacle)
    }
}

private func ownConfiguration(_ url: URL, _ folder: String) async throws {
    var configuration = SessionConfiguration.default
    configuration.maximumConcurrentDownloads = 3
    configuration.connectionsPerHost = 6
    configuration.settings.allowsExpensiveNetwork = false
    configuration.settings.waitsForConnectivity = true
    configuration.settings.stallTimeout = .seconds(60)
    configuration.delegateExecutor = .mainActor
    let session = DownloadSession(configuration)

    let task = session.downloadTask(with: url, to: .directory(folder))
    task.taskDescription = "the disk"
    task.priority = .high
    task.earliestBeginDate = Date(timeIntervalSinceNow: 1)
    for task in await session.allTasks { print(task.taskDescription ?? "") }
    task.cancel()
}
