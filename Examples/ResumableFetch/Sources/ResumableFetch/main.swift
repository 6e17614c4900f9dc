import Foundation
import Pawl

// `ResumableFetch URL FILE` fetches a file. Kill it at any moment and run it again: it resumes
// where it stopped.
guard CommandLine.arguments.count == 3, let url = URL(string: CommandLine.arguments[1]) else {
    print("usage: ResumableFetch URL FILE")
    exit(2)
}

// The received bytes are in FILE.part, and FILE.part.pawl lists the valid ones. The next run looks
// for both.
let session = DownloadSession()
let task = session.downloadTask(with: url, to: .file(CommandLine.arguments[2]))
task.resume()

var offset: Int64 = 0
for await progress in task.progress {
    if progress.resumedBytes > offset {
        offset = progress.resumedBytes
        print("resumes at \(offset)")
    }
    guard let fraction = progress.fraction else { continue }
    print("\(Int(fraction * 100)) %, \(Int(progress.bytesPerSecond)) bytes per second")
}

do throws(DownloadError) {
    let file = try await task.file
    print("finished: \(file.byteCount) bytes, \(file.wasAlreadyThere ? "there before" : "fetched")")
} catch {
    // The received bytes are kept, and the same command resumes. Status 75 tells scripts that a
    // retry can help.
    print("failed: \(error)")
    exit(error.isRetryable ? 75 : 1)
}
