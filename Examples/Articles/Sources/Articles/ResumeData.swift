import Foundation
import Pawl

func resumeData(_ sample: Sample) async throws {
    let place = URL(fileURLWithPath: sample.folder + "/disk.resume")
    let task = Task {
        try await keep(sample.url, sample.folder + "/disk.iso", in: place)
    }
    task.cancel()
    try? await task.value
    if FileManager.default.fileExists(atPath: place.path) { try await goOn(with: place) }
}

private func keep(_ url: URL, _ target: String, in place: URL) async throws {
    let downloader = Downloader()
    let download = downloader.makeDownload(url, to: .file(target))
    do {
        _ = try await download.run()
    } catch {
        guard let data = error.resumeData else { throw error }
        try data.data.write(to: place)
    }
}

private func goOn(with place: URL) async throws {
    let downloader = Downloader()
    let data = try ResumeData(data: Data(contentsOf: place))
    let file = try await downloader.makeDownload(resuming: data).run()
    print(file.path)
}

func goOnWithApple(_ plist: URL) async throws {
    let downloader = Downloader()
    var resume = ResumeSettings()
    resume.partialFile = "/data/CFNetworkDownload_4711.tmp"
    resume.destination = .file("/data/disk.iso")
    let data = try ResumeData(appleResumeData: Data(contentsOf: plist))
    let file = try await downloader.makeDownload(resuming: data, with: resume).run()
    print(file.path)
}
