import struct FoundationEssentials.Date
import struct FoundationEssentials.URL
import Glibc
import Pawl
import Synchronization

// A test's own process with one background session, until it is killed or its input ends.
//
//   BackgroundProbe IDENTIFIER [--take-over] [--hang] [--jobs N] [--limit RATE] [--overwrite]
//       [--finish] [--relaunch PROGRAM ARGUMENT…]
//
// Each line of its input is one command: `add NAME URL PATH`, `temporary NAME URL`,
// `choose NAME URL PATH`, `suspend NAME`, `resume NAME`, `pause NAME`, `cancel NAME`, `data NAME`,
// `again NAME [PATH]`, `tasks`, `resumable NAME`, `set NAME NEW-NAME PRIORITY LIMIT SECONDS`,
// `handover NAME`, `abandon NAME URL`, `written NAME`, `finish`.
//
// `--jobs N` limits the concurrent downloads, `--limit RATE` limits the bytes per second, and
// `--overwrite` makes the requests overwrite an existing file. `--finish` gives the command `finish`
// before the daemon is known. The process prints each call of the delegate on a line of its own.

/// The name of the thread that calls this.
func threadName() -> String {
    let descriptor = open("/proc/thread-self/comm", O_RDONLY | O_CLOEXEC)
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = read(descriptor, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)).prefix { $0 != 10 }, as: UTF8.self)
}

func say(_ text: String) {
    // Flushing all of C's streams would wait for the one that is being read.
    let bytes = Array("\(text)\n".utf8)
    _ = write(STDOUT_FILENO, bytes, bytes.count)
}

final class Listener: DownloadSessionDelegate {
    /// Whether the delegate blocks when a file is finished.
    let hangs: Bool
    /// The sum of the bytes of each task that were reported as written.
    private let written = Mutex<[String: Int64]>([:])

    init(hangs: Bool) { self.hangs = hangs }

    func written(_ name: String) -> Int64 { written.withLock { $0[name] ?? 0 } }

    func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64?
    ) {
        written.withLock { $0[name(downloadTask), default: 0] += bytesWritten }
    }

    func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didResumeAtOffset offset: Int64,
        expectedTotalBytes: Int64?
    ) {
        say("offset \(name(downloadTask)) \(offset)")
    }

    func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didStartOver restart: DownloadRestart
    ) {
        say("restarted \(name(downloadTask)) \(restart.discardedBytes)")
    }

    func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didFinishDownloadingTo file: DownloadedFile
    ) {
        let isThere = access(file.path, F_OK) == 0
        say("file \(name(downloadTask)) \(isThere ? file.byteCount : -1) \(file.path)")
        while hangs { pause() }
    }

    func session(
        _ session: DownloadSession,
        task: SessionTask,
        didCompleteWithError error: DownloadError?
    ) {
        let data = error?.resumeData.map { " data \($0.receivedBytes)" } ?? ""
        let metrics = task.metrics
        say("metrics \(name(task)) \(metrics.bytesReceived) \(metrics.transfers)")
        if let refusal = error?.errorResponse {
            let body = String(decoding: refusal.body, as: UTF8.self)
            say("refusal \(name(task)) \(refusal.response.status) \(refusal.isWhole) \(body)")
        }
        if let advice = error?.advice { say("advice \(name(task)) \(advice)") }
        say("completed \(name(task)) \(error?.code.rawValue ?? "ok")\(data)")
    }

    func session(
        _ session: DownloadSession,
        task: SessionTask,
        didReceive response: DownloadResponse
    ) {
        say("response \(name(task)) \(response.status) \(response.suggestedFilename)")
    }

    func session(_ session: DownloadSession, didBecomeInvalidWithError error: DownloadError?) {
        say("invalid \(error?.code.rawValue ?? "ok")")
    }

    func sessionDidFinishEvents(forBackgroundSession session: DownloadSession) { say("events") }

    private func name(_ task: SessionTask) -> String { task.taskDescription ?? "?" }
}

struct Probe {
    let session: DownloadSession
    let listener: Listener

    private func task(_ name: String) async -> DownloadTask? {
        await session.allTasks.first { $0.taskDescription == name } as? DownloadTask
    }

    func run(_ words: [String]) async {
        guard let verb = words.first else { return }
        let name = words.dropFirst().first ?? ""
        switch (verb, words.count) {
        case ("add", 4): add(name, words[2], .file(words[3]))
        case ("temporary", 3): add(name, words[2], .temporary)
        case ("choose", 4):
            let path = words[3]
            let destination = TaskDestination.choosing { _ in
                say("chosen \(name) \(threadName())")
                return .file(path)
            }
            add(name, words[2], destination)
        case ("set", 6): await set(name, Array(words.dropFirst(2)))
        case ("suspend", 2): await task(name)?.suspend()
        case ("resume", 2): await task(name)?.resume()
        case ("pause", 2): await task(name)?.pause()
        case ("cancel", 2): await task(name)?.cancel()
        case ("abandon", 3):
            guard let url = URL(string: words[2]) else { return say("no URL") }
            let task = session.downloadTask(with: url)
            task.cancel()
            let hasDaemon = await task.waitForHandover()
            say("abandoned \(name) \(hasDaemon)")
        case ("written", 2): say("written \(name) \(listener.written(name))")
        case ("handover", 2):
            let isHandedOver = await task(name)?.waitForHandover()
            say("handed over \(name) \(isHandedOver ?? false)")
        case ("data", 2):
            let data = await task(name)?.cancelByProducingResumeData()
            say("data \(name) \(data?.receivedBytes ?? -1)")
            kept[name] = data
        case ("again", 2...3): again(name, words.count > 2 ? words[2] : nil)
        case ("tasks", 1): await list()
        case ("resumable", 2):
            let resumability = await task(name)?.resumability
            if case .resumable(let count)? = resumability {
                say("resumable \(name) \(count)")
            } else {
                say("resumable \(name) no: \(resumability.map { "\($0)" } ?? "no task")")
            }
        case ("finish", 1): session.finishTasksAndInvalidate()
        default: say("what is '\(words)'?")
        }
    }

    private func add(_ name: String, _ text: String, _ destination: TaskDestination) {
        guard let url = URL(string: text) else { return say("no URL") }
        var request = DownloadRequest(url)
        if overwrites { request.adjust { $0.ifExists = .overwrite } }
        let task = session.downloadTask(with: request, to: destination)
        task.taskDescription = name
        task.resume()
        say("added \(name)")
    }

    private func set(_ name: String, _ values: [String]) async {
        guard let task = await task(name) else { return say("no task \(name)") }
        task.taskDescription = values[0]
        task.priority = values[1] == "high" ? .high : .low
        task.limitBytesPerSecond = Int64(values[2])
        if let seconds = Double(values[3]), seconds > 0 {
            task.earliestBeginDate = Date().addingTimeInterval(seconds)
        }
        say("set \(name)")
    }

    private func again(_ name: String, _ path: String?) {
        guard let data = kept[name] else { return say("no data") }
        var settings = ResumeSettings()
        settings.destination = path.map { .file($0) }
        do throws(DownloadError) {
            let task = try session.downloadTask(withResumeData: data, settings)
            task.taskDescription = name
            task.resume()
        } catch {
            say("no task: \(error)")
        }
    }

    private func list() async {
        let tasks = await session.allTasks.map { task in
            "\(task.taskDescription ?? "?") \(task.state) \(task.currentProgress.completedBytes)"
                + " \(task.priority)"
        }
        say("tasks [\(tasks.joined(separator: ", "))]")
    }
}

nonisolated(unsafe) var kept: [String: ResumeData] = [:]
var arguments = CommandLine.arguments.dropFirst()
guard let identifier = arguments.popFirst() else { exit(2) }
var configuration = SessionConfiguration.background(identifier: identifier)
configuration.settings.connections = .fixed(1)
configuration.settings.connection.userAgent = "probe/1"
var hangs = false
var finishes = false
nonisolated(unsafe) var overwrites = false
while let argument = arguments.popFirst() {
    switch argument {
    case "--hang": hangs = true
    case "--jobs":
        configuration.maximumConcurrentDownloads = Int(arguments.popFirst() ?? "") ?? 1
    case "--limit": configuration.limitBytesPerSecond = Int64(arguments.popFirst() ?? "")
    case "--overwrite": overwrites = true
    case "--finish": finishes = true
    case "--take-over": configuration.takesOverBackgroundSession = true
    case "--relaunch":
        configuration.relaunchCommand = Array(arguments)
        arguments = []
    default: exit(2)
    }
}
let listener = Listener(hangs: hangs)
let probe = Probe(
    session: DownloadSession(configuration, delegate: listener),
    listener: listener
)
if finishes { probe.session.finishTasksAndInvalidate() }
say("ready")
while let line = await Task.detached(operation: { readLine() }).value {
    await probe.run(line.split(separator: " ").map(String.init))
}
