import struct FoundationEssentials.URL
import Glibc
import Pawl

// A test's own process with one session, until it is killed.
//
//   SessionProbe KIND FOLDER URL BYTES [TARGET]
//
// A `default` session runs a temporary task until it has received BYTES bytes, cancels the task,
// and prints its resume data in hexadecimal digits. A `running` session prints the resume data of a
// task that continues. An `ephemeral` session pauses a task to TARGET after BYTES bytes.

func say(_ text: String) {
    print(text)
    fflush(nil)
}

func come(_ task: DownloadTask, to bytes: Int64) async {
    task.resume()
    for await progress in task.progress where progress.completedBytes >= bytes { return }
}

func digits(_ data: some Sequence<UInt8>) -> String {
    data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

let arguments = CommandLine.arguments
guard arguments.count >= 5, let url = URL(string: arguments[3]), let bytes = Int64(arguments[4])
else { exit(2) }
var configuration =
    arguments[1] == "ephemeral" ? SessionConfiguration.ephemeral : .default
configuration.temporaryDirectory = arguments[2]
configuration.settings.connections = .fixed(1)
let session = DownloadSession(configuration)
if arguments.count > 5 {
    let task = session.downloadTask(with: url, to: .file(arguments[5]))
    await come(task, to: bytes)
    task.pause()
    while access(arguments[5] + ".part", F_OK) != 0 { await Task.yield() }
    say("paused")
} else {
    let task = session.downloadTask(with: url)
    await come(task, to: bytes)
    if arguments[1] == "running" {
        // Waits for the last checkpoint, which soon covers all received bytes.
        while task.resumeData.map({ $0.receivedBytes < bytes }) ?? true { await Task.yield() }
        say("data " + (task.resumeData.map { digits($0.data) } ?? "") + ".")
        while true { pause() }
    }
    guard let data = await task.cancelByProducingResumeData() else { exit(1) }
    say("data " + digits(data.data) + ".")
}
while true { pause() }
