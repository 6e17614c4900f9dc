import Foundation
import Pawl

final class Report: DownloadSessionDelegate {
    func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didFinishDownloadingTo file: DownloadedFile
    ) {
        print("finished: \(file.path), \(file.byteCount) bytes")
    }

    func session(
        _ session: DownloadSession,
        task: SessionTask,
        didCompleteWithError error: DownloadError?
    ) {
        if let error { print("failed: \(error)") }
    }
}

// `BackgroundDownload URL FOLDER` starts a download and exits. `BackgroundDownload` waits for the
// downloads of earlier calls.
@main
struct BackgroundDownload {
    static func main() async {
        let configuration = SessionConfiguration.background(identifier: "org.example.films")
        let session = DownloadSession(configuration, delegate: Report())

        let arguments = CommandLine.arguments
        if arguments.count == 3, let url = URL(string: arguments[1]) {
            let task = session.downloadTask(with: url, to: .directory(arguments[2]))
            task.resume()
            if await task.waitForHandover() {
                print("\(url.lastPathComponent) continues in the background")
            }
            return
        }

        for task in await session.allTasks {
            print("task \(task.taskIdentifier): \(task.currentProgress.completedBytes) bytes")
        }
        let events = session.events
        session.finishTasksAndInvalidate()
        for await case .invalidated(let error?) in events { print("failed: \(error)") }
    }
}
