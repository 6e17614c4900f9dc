import Dispatch
import Foundation
import Pawl

/// The code that needs the daemon.
func inTheBackground(_ sample: Sample) async throws {
    try await backgroundSession(Reporter(), url: sample.url, folder: sample.folder)
    try await openFilms(sample.url)
    try await readFilms(sample.url)
    await finishFilms(in: .background(identifier: "again"))
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
    endAfterHandover(of: session)

    for task in await session.allTasks {
        print(task.taskDescription ?? "", task.currentProgress.completedBytes)
    }
    print(try await task.file.path)
}

private func endAfterHandover(of session: DownloadSession) {
    signal(SIGTERM, SIG_IGN)
    let termination = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .main)
    termination.setEventHandler {
        Task {
            await waitForHandover(in: session)
            exit(0)
        }
    }
    termination.resume()
}

/// Waits until the daemon has the downloads of a session, for five seconds at most.
func waitForHandover(in session: DownloadSession) async {
    await withTaskGroup(of: Void.self) { group in
        group.addTask {
            for task in await session.downloadTasks where task.state != .suspended {
                await task.waitForHandover()
            }
        }
        // A cancelled sleep ends early.
        group.addTask { try? await Task.sleep(for: .seconds(5)) }
        await group.next()
        group.cancelAll()
    }
}

/// Reports the downloads of earlier processes, and starts those again that a retry can help.
func finishFilms(in configuration: SessionConfiguration) async {
    let session = DownloadSession(configuration)
    let events = session.events
    // Ends the loop if the daemon cannot be reached.
    let limit = Task {
        try await Task.sleep(for: .seconds(30))
        session.finishTasksAndInvalidate()
    }
    for await event in events {
        switch event {
        case .task(_, .finished(let file)): print("finished: \(file?.path ?? "")")
        case .task(_, .failed(let error)):
            guard error.isRetryable, let data = error.resumeData,
                let again = try? session.downloadTask(withResumeData: data)
            else {
                print("failed: \(error)")
                continue
            }
            again.resume()
        case .finishedBackgroundEvents: session.finishTasksAndInvalidate()
        case .invalidated(let error?): print("the session has ended: \(error)")
        case .task, .dropped, .invalidated: break
        }
    }
    limit.cancel()
}
