import Foundation
import Pawl

// `ResumableFetch URL FILE` fetches a file. Kill it, as hard as you like, and run it again: it goes on
// where it stopped.
guard CommandLine.arguments.count == 3, let url = URL(string: CommandLine.arguments[1]) else {
    print("usage: ResumableFetch URL FILE")
    exit(2)
}

// What came is in FILE.part, which of it is good in FILE.part.pawl: the next run looks for them.
let session = DownloadSession()
let task = session.downloadTask(with: url, to: .file(CommandLine.arguments[2]))
task.resume()

var offset: Int64 = 0
for await progress in task.progress {
    if progress.resumedBytes > offset {
        offset = progress.resumedBytes
        print("goes on at \(offset)")
    }
    guard let fraction = progress.fraction else { continue }
    print("\(Int(fraction * 100)) %, \(Int(progress.bytesPerSecond)) bytes a second")
}

do throws(DownloadError) {
    let file = try await task.file
    print("finished: \(file.byteCount) bytes, \(file.wasAlreadyThere ? "there before" : "fetched")")
} catch {
    // What came is kept: the same command goes on. 75 tells scripts that trying again makes sense.
    print("failed: \(error)")
    exit(error.isRetryable ? 75 : 1)
}
