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
//
//   SessionProbe threads FOLDER URL BYTES MOST
//
// Prints the number of threads of this process while 30 sessions each have a task to FOLDER that has
// received BYTES bytes, or, if BYTES is 0, a finished one; but not before it has fallen to MOST.

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

/// The number of threads of this process.
func threadCount() -> Int {
    guard let file = fopen("/proc/self/status", "r") else { return -1 }
    defer { fclose(file) }
    var text = [CChar](repeating: 0, count: 4096)
    let count = fread(&text, 1, text.count - 1, file)
    let bytes = text.prefix(count).map { UInt8(bitPattern: $0) }
    let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        .first { $0.hasPrefix("Threads:") }
    return line.flatMap { Int($0.dropFirst(8).filter(\.isNumber)) } ?? -1
}

func countThreads(_ folder: String, _ url: URL, _ bytes: Int64, _ most: Int) async throws {
    let sessions = (1...30).map { number in
        var configuration = SessionConfiguration.default
        configuration.temporaryDirectory = "\(folder)/\(number)"
        return DownloadSession(configuration)
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
        for (number, session) in sessions.enumerated() {
            let task = session.downloadTask(with: url, to: .file("\(folder)/\(number).bin"))
            group.addTask {
                if bytes > 0 {
                    await come(task, to: bytes)
                } else {
                    task.resume()
                    _ = try await task.file
                }
            }
        }
        try await group.waitForAll()
    }
    let count = threadCount()
    // Nothing announces that a thread ends.
    while threadCount() > most { await Task.yield() }
    say("threads \(count).")
    withExtendedLifetime(sessions) {}
}

let arguments = CommandLine.arguments
guard arguments.count >= 5, let url = URL(string: arguments[3]), let bytes = Int64(arguments[4])
else { exit(2) }
if arguments[1] == "threads" {
    guard arguments.count == 6, let most = Int(arguments[5]) else { exit(2) }
    try await countThreads(arguments[2], url, bytes, most)
    exit(0)
}
var configuration =
    arguments[1] == "ephemeral" ? SessionConfiguration.ephemeral : .default
configuration.temporaryDirectory = arguments[2]
configuration.settings.connections = .fixed(1)
let session = DownloadSession(configuration)
if arguments.count > 5 {
    let task = session.downloadTask(with: url, to: .file(arguments[5]))
    await come(task, to: bytes)
    await task.pause()
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
