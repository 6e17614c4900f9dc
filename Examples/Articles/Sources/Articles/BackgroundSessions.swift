import struct FoundationEssentials.URL
import Pawl

/// The code that needs the daemon.
func inTheBackground(_ sample: Sample) async throws {
    try await backgroundSession(Reporter(), url: sample.url, folder: sample.folder)
    try await openFilms(sample.url)
    try await readFilms(sample.url)
}

private func backgroundSession(
    _ delegate: Reporter,
    url: URL,
    folder: String
) async throws {
    var configuration = SessionConfiguration.background(identifier: "films")
    configuration.relaunchCommand = ["/usr/bin/films", "--downloads-ended"]
    let session = DownloadSession(configuration, delegate: delegate)

    let task = session.downloadTask(with: url, to: .directory(folder))
    task.taskDescription = "the trailer"
    task.resume()
    await task.waitForHandover()

    for task in await session.allTasks {
        print(task.taskDescription ?? "", task.currentProgress.completedBytes)
    }
    print(try await task.file.path)
}
