import Foundation
import Pawl

func resumeData(_ sample: Sample) async throws {
    let location = URL(fileURLWithPath: sample.folder + "/disk.resume")
    let task = Task {
        try await keep(sample.url, sample.folder + "/disk.iso", in: location)
    }
    task.cancel()
    try? await task.value
    if FileManager.default.fileExists(atPath: location.path) { try await resume(with: location) }
    try await pauseInTheMiddle(sample.url, sample.folder)

    // Only a test puts Apple's resume data there, and the temporary file beside it.
    let folder = sample.folder + "/apple"
    let plist = URL(fileURLWithPath: folder + "/resume.plist")
    if FileManager.default.fileExists(atPath: plist.path) {
        print(try importedResumeData(Data(contentsOf: plist)).isImported)
        try await resumeFromApple(plist, folder)
    }
}

private func pauseInTheMiddle(_ url: URL, _ folder: String) async throws {
    let session = DownloadSession()
    let task = session.downloadTask(with: url, to: .file(folder + "/paused.iso"))
    task.resume()
    for await progress in task.progress where progress.completedBytes > 0 { break }
    await task.pause()
    switch task.resumability {
    case .resumable(let offset): print("\(offset) bytes would not be fetched again")
    case .notResumable(let obstacle): print(obstacle, obstacle.advice)
    }
    task.resume()
    _ = try await task.file
}

private func keep(_ url: URL, _ target: String, in location: URL) async throws {
    do {
        _ = try await DownloadSession.shared.download(url, to: .file(target))
    } catch {
        guard let data = error.resumeData else { throw error }
        try data.data.write(to: location)
    }
}

private func resume(with location: URL) async throws {
    let data = try ResumeData(data: Data(contentsOf: location))
    let file = try await DownloadSession.shared.download(resuming: data)
    print(file.path)
}

private func resumeFromApple(_ plist: URL, _ folder: String) async throws {
    var resume = ResumeSettings()
    resume.partialFile = folder + "/CFNetworkDownload_4711.tmp"
    resume.destination = .file(folder + "/disk.iso")
    let data = try ResumeData(appleResumeData: Data(contentsOf: plist))
    let file = try await DownloadSession.shared.download(resuming: data, resume)
    print(file.path)
}

/// Reads stored resume data, of Pawl or of Apple's `URLSession`.
func importedResumeData(_ stored: Data) throws -> ResumeData {
    do {
        return try ResumeData(data: stored)
    } catch let error where error.code == .invalidResumeData {
        return try ResumeData(appleResumeData: stored)
    }
}
