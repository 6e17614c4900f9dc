import Dispatch
import Foundation
import Pawl

// `ResumeLater URL FILE` downloads a file. If it fails, or Ctrl-C ends it, FILE.resume stores what
// the next call needs to resume it.
guard CommandLine.arguments.count == 3, let url = URL(string: CommandLine.arguments[1]) else {
    print("usage: ResumeLater URL FILE")
    exit(2)
}
let target = CommandLine.arguments[2]
let stored = URL(filePath: target + ".resume")

let download = Task {
    let session = DownloadSession.shared
    guard FileManager.default.fileExists(atPath: stored.path) else {
        return try await session.download(url, to: .file(target))
    }
    let data = try ResumeData(data: Data(contentsOf: stored))
    print("resumes after \(data.receivedBytes) bytes")
    return try await session.download(resuming: data)
}

signal(SIGINT, SIG_IGN)
let interrupt = DispatchSource.makeSignalSource(signal: SIGINT, queue: .main)
interrupt.setEventHandler { download.cancel() }
interrupt.resume()

do {
    let file = try await download.value
    try? FileManager.default.removeItem(at: stored)
    print("finished: \(file.path), \(file.byteCount) bytes")
} catch {
    let error = DownloadError(error)
    print("stopped: \(error)")
    if let data = error.resumeData { try data.data.write(to: stored, options: .atomic) }
    exit(error.isRetryable ? 75 : 1)
}
