import struct FoundationEssentials.URL
import Pawl

func backgroundSession(
    _ delegate: Reporter,
    url: URL,
    folder: String
) async {
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
}
