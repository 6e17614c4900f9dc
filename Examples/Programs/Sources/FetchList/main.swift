import Foundation
import Pawl

// `FetchList LIST FOLDER` downloads the URLs of a list, one per line, at most three at the same time.
// A call after Ctrl-C or a failure resumes what is incomplete, and does not fetch the rest again.
let arguments = CommandLine.arguments
guard arguments.count == 3, let list = try? String(contentsOfFile: arguments[1], encoding: .utf8)
else {
    print("usage: FetchList LIST FOLDER")
    exit(2)
}

var configuration = SessionConfiguration.default
configuration.maximumConcurrentDownloads = 3
let session = DownloadSession(configuration)

let urls = list.split(separator: "\n").compactMap { URL(string: String($0)) }
let tasks = urls.map { session.downloadTask(with: $0, to: .directory(arguments[2])) }
for task in tasks { task.resume() }
for await total in session.progress(of: tasks) {
    let percent = total.fraction.map { "\(Int($0 * 100)) %" } ?? "\(total.completedBytes) bytes"
    print("\r\(total.finishedCount) of \(total.taskCount) files, \(percent)  ", terminator: "")
    fflush(nil)
}
print()
let errors = tasks.compactMap(\.error)
for error in errors { print("failed: \(error)") }
exit(errors.isEmpty ? 0 : 1)
