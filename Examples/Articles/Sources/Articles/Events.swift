import Foundation
import Pawl

@MainActor
final class Window: DownloadSessionDelegate {
    var files: [String] = []

    func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didFinishDownloadingTo file: DownloadedFile
    ) {
        files.append(file.path)
    }

    @MainActor
    func session(
        _ session: DownloadSession,
        task: SessionTask,
        didCompleteWithError error: DownloadError?
    ) async {
        print(error.map { "failed: \($0)" } ?? "\(files.count) files")
    }
}

final class FullDelegate: DownloadSessionDelegate {
    func session(
        _ session: DownloadSession,
        task: SessionTask,
        didReceive response: DownloadResponse
    ) -> ResponseDisposition {
        response.mediaType == "text/html" ? .cancel : .allow
    }

    func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64?
    ) {
        print("resumes at byte \(fileOffset)")
    }

    func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64?
    ) {
        print("\(totalBytesWritten) bytes of \(totalBytesExpectedToWrite ?? -1)")
    }

    func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didStartOver restart: DownloadRestart
    ) {
        print("starts over: \(restart.reason), \(restart.discardedBytes) bytes discarded")
    }

    func session(_ session: DownloadSession, taskIsWaitingForConnectivity task: SessionTask) {
        print("waits for the network")
    }

    func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didFinishDownloadingTo file: DownloadedFile
    ) {
        print("finished: \(file.path)")
    }

    func session(_ session: DownloadSession, dataTask: DataTask, didReceive data: [UInt8]) {
        print("\(data.count) bytes of a data task")
    }

    func session(
        _ session: DownloadSession,
        task: SessionTask,
        didFinishCollecting metrics: TaskMetrics
    ) {
        print("\(metrics.bytesReceived) bytes in \(metrics.duration)")
    }

    func session(
        _ session: DownloadSession,
        task: SessionTask,
        didCompleteWithError error: DownloadError?
    ) {
        print(error.map { "failed: \($0)" } ?? "done")
    }

    func session(_ session: DownloadSession, didBecomeInvalidWithError error: DownloadError?) {
        print("the session has ended")
    }

    func sessionDidFinishEvents(forBackgroundSession session: DownloadSession) {
        print("all missed events were delivered")
    }
}

func events(_ sample: Sample) async throws {
    try await one(sample.url, sample.folder)
    await several([sample.url, sample.latest], sample.folder)
    await delegates(sample.url, sample.folder)
}

private func one(_ url: URL, _ folder: String) async throws {
    let task = DownloadSession.shared.downloadTask(with: url, to: .directory(folder))
    let events = task.events
    task.resume()
    for await event in events {
        switch event {
        case .response(let response): print(response.status, response.suggestedFilename)
        case .resumed(let offset, _): print("resumes at byte \(offset)")
        case .progress(let progress): print(progress.fraction ?? 0)
        case .startedOver(let restart): print("starts over: \(restart.reason)")
        case .waitingForConnectivity: print("waits for the network")
        case .finished(let file): print(file?.path ?? "")
        case .failed(let error): print(error)
        }
    }
}

private func several(_ urls: [URL], _ folder: String) async {
    let session = DownloadSession()
    let events = session.events
    let tasks = urls.map { session.downloadTask(with: $0, to: .directory(folder)) }
    for task in tasks { task.resume() }
    session.finishTasksAndInvalidate()

    for await case .task(let task, .finished(let file)) in events {
        print(task.taskIdentifier, file?.path ?? "")
    }
    for await total in session.progress(of: tasks) {
        print("\(total.finishedCount) of \(total.taskCount)", total.fraction ?? 0)
    }
}

private func delegates(_ url: URL, _ folder: String) async {
    let session = DownloadSession(.default, delegate: FullDelegate())
    let task = session.downloadTask(with: url, to: .file(folder + "/copy.iso"))
    let events = task.events
    task.resume()
    for await _ in events {}
    print(makeSession(nil).delegate == nil)
}

func makeSession(_ delegate: (any DownloadSessionDelegate)?) -> DownloadSession {
    DownloadSession(.default, anyDelegate: delegate)
}
