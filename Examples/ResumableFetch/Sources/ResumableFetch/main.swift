import Foundation
import Pawl

// `ResumableFetch URL FILE` fetches a file. Kill it, as hard as you like, and run it again: it goes on
// where it stopped.
guard CommandLine.arguments.count == 3, let url = URL(string: CommandLine.arguments[1]) else {
    print("usage: ResumableFetch URL FILE")
    exit(2)
}

/// Says so when the task goes on behind bytes that an earlier run has left.
final class OffsetReporter: DownloadSessionDelegate {
    func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64?
    ) {
        print("goes on at \(fileOffset)")
    }
}

// What came is in FILE.part, which of it is good in FILE.part.pawl: the next run looks for them.
let session = DownloadSession(.default, delegate: OffsetReporter())
let task = session.downloadTask(with: url, to: .file(CommandLine.arguments[2]))
task.resume()
for await progress in task.progress {
    guard let fraction = progress.fraction else { continue }
    print("\(Int(fraction * 100)) %")
}
do throws(DownloadError) {
    let file = try await task.file
    print("finished: \(file.byteCount) bytes, \(file.wasAlreadyThere ? "there before" : "fetched")")
} catch {
    print("failed: \(error)")
    exit(error.isRetryable ? 75 : 1)
}
