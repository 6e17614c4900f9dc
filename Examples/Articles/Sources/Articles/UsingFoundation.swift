import Foundation
import Pawl
import PawlFoundation
import PawlLibrary

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

func usingFoundation(_ sample: Sample) async throws {
    let (url, folder) = (sample.url, sample.folder)
    try await foundationRequest(sample.latest)
    try await foundationFiles(url, folder)
    try await foundationLibrary(folder + "/library")
    try await foundationProgress(url, folder)
    try await foundationErrors(url)
    try await foundationSinks(url, folder)
    try await foundationText(sample.latest)
}

private func foundationRequest(_ url: URL) async throws {
    let session = DownloadSession()
    var original = URLRequest(url: url)
    original.httpMethod = "POST"
    original.httpBody = Data("a=1".utf8)
    original.setValue("yes", forHTTPHeaderField: "X-Own")

    var request = try DownloadRequest(original)
    request.addValue("more", forHTTPHeaderField: "X-Own")
    let answer = try await session.data(for: request)
    if let response = HTTPURLResponse(answer.response) {
        print(response.statusCode, response.value(forHTTPHeaderField: "Content-Length") ?? "")
    }
    print(answer.data.count, URLRequest(request).httpBody?.count ?? 0)
}

private func foundationFiles(_ url: URL, _ folder: String) async throws {
    let session = DownloadSession()
    let target = URL(filePath: folder).appending(path: "disk.iso")
    let file = try await session.download(url, to: .file(target))
    let values = try file.fileURL.resourceValues(forKeys: [.fileSizeKey])
    print(values.fileSize ?? 0)
}

private func foundationLibrary(_ folder: String) async throws {
    let library = try await DownloadLibrary(folder: .directory(folder))
    let note = try await library.write(Data("seen".utf8), for: "notes")
    let size = try await ImageSize(ofFile: note.fileURL)  // nil: this file is not an image
    print(size == nil)
    await library.close()
}

private func foundationProgress(_ url: URL, _ folder: String) async throws {
    let session = DownloadSession()
    let task = session.downloadTask(with: url, to: .file(folder + "/copy.iso"))
    let all = Progress(totalUnitCount: 1)
    let progress = task.foundationProgress()
    all.addChild(progress, withPendingUnitCount: 1)
    task.resume()
    _ = try await task.file
    print(all.fractionCompleted, progress.fileURL?.lastPathComponent ?? "")
}

private func foundationErrors(_ url: URL) async throws {
    let session = DownloadSession()
    do {
        _ = try await session.download(url.appending(path: "missing"), to: .temporary)
    } catch {
        let error = error as NSError
        if error.domain == PawlErrorDomain, error.code == ErrorCode.notFound.exitStatus {
            print(error.userInfo[NSURLErrorFailingURLErrorKey] ?? "")
        }
    }
}

private func foundationSinks(_ url: URL, _ folder: String) async throws {
    let session = DownloadSession()
    let stream = OutputStream(toMemory: ())
    let task = session.dataTask(with: url)
    task.resume()
    let count = try await task.write(to: stream)
    stream.close()
    print(count)

    let path = folder + "/handle.iso"
    guard FileManager.default.createFile(atPath: path, contents: nil),
        let handle = FileHandle(forWritingAtPath: path)
    else { return }
    try await session.bytes(from: url).write(to: handle)
    try handle.close()
}

private func foundationText(_ url: URL) async throws {
    let session = DownloadSession()
    let fetched = try await session.data(from: url)
    let text = try fetched.string()
    let chinese = try fetched.string(encoding: .gb18030)
    print(text == chinese)
}
