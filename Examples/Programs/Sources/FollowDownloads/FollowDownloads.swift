import Foundation
import Pawl

@MainActor
final class Report: DownloadSessionDelegate {
    private(set) var failureCount = 0

    func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didFinishDownloadingTo file: DownloadedFile
    ) {
        print("\(downloadTask.taskIdentifier): finished: \(file.path)")
    }

    func session(
        _ session: DownloadSession,
        task: SessionTask,
        didCompleteWithError error: DownloadError?
    ) {
        guard let error else { return }
        failureCount += 1
        print("\(task.taskIdentifier): failed: \(error)")
    }
}

// `FollowDownloads FOLDER URL …` downloads the files, at most two at the same time.
@main
struct FollowDownloads {
    @MainActor
    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        guard let folder = arguments.first, arguments.count > 1 else {
            print("usage: FollowDownloads FOLDER URL …")
            exit(2)
        }
        var configuration = SessionConfiguration.default
        configuration.maximumConcurrentDownloads = 2
        configuration.delegateExecutor = .mainActor
        let report = Report()
        let session = DownloadSession(configuration, delegate: report)

        let events = session.events
        for url in arguments.dropFirst().compactMap({ URL(string: $0) }) {
            session.downloadTask(with: url, to: .directory(folder)).resume()
        }
        session.finishTasksAndInvalidate()
        for await case .task(let task, .progress(let progress)) in events {
            print("\(task.taskIdentifier): \(progress.completedBytes) bytes")
        }
        exit(report.failureCount == 0 ? 0 : 1)
    }
}
