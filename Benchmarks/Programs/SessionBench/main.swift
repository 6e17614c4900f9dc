import struct FoundationEssentials.URL
import Glibc
import Pawl

// The benchmark's measurements of sessions. The last line of the output contains the figures.
//
//   SessionBench tasks LIST AT-A-TIME     fetches all URLs of a list, each to a file with a reader
//   SessionBench starts COUNT URL         creates and resumes COUNT tasks, and cancels them
//   SessionBench reader URL none|one|slow fetches one file, with readers of its progress
//   SessionBench updates COUNT            COUNT readers of one suspended task, for 3 s

struct WrongUse: Error {}

func seconds(_ duration: Duration) -> Double {
    Double(duration.components.seconds) + Double(duration.components.attoseconds) * 1e-18
}

func lines(of path: String) throws -> [String] {
    guard let file = fopen(path, "re") else { throw WrongUse() }
    defer { fclose(file) }
    var all: [String] = []
    var line: UnsafeMutablePointer<CChar>?
    var room = 0
    defer { free(line) }
    while getline(&line, &room, file) > 0, let line {
        all.append(String(cString: line).filter { !$0.isNewline })
    }
    return all
}

func url(_ text: String) throws -> URL {
    guard let url = URL(string: text) else { throw WrongUse() }
    return url
}

func configuration(_ atATime: Int) -> SessionConfiguration {
    var configuration = SessionConfiguration.default
    configuration.maximumConcurrentDownloads = atATime
    configuration.settings.connections = .fixed(1)
    return configuration
}

/// What a task's reader observed.
struct Reading {
    /// The time that it waited for each progress after the first.
    var gaps: [Duration] = []
    /// The longest time that the task ran without receiving a byte.
    var longestDrought: Duration = .zero
}

func read(_ task: DownloadTask) async -> Reading {
    var reading = Reading()
    var last: ContinuousClock.Instant?
    var (bytes, moved) = (Int64(0), ContinuousClock.now)
    for await progress in task.progress {
        let now = ContinuousClock.now
        if let last { reading.gaps.append(now - last) }
        last = now
        guard task.state == .running else {
            moved = now
            continue
        }
        if progress.completedBytes > bytes { (bytes, moved) = (progress.completedBytes, now) }
        reading.longestDrought = max(reading.longestDrought, now - moved)
    }
    return reading
}

func runTasks(_ list: String, _ atATime: Int) async throws {
    let session = DownloadSession(configuration(atATime))
    let urls = try lines(of: list).map(url)
    let tasks = urls.enumerated().map { number, url in
        session.downloadTask(with: url, to: .file("f\(number + 1)"))
    }
    let readings = await withTaskGroup(of: Reading.self) { group in
        for task in tasks { group.addTask { await read(task) } }
        for task in tasks { task.resume() }
        return await group.reduce(into: [Reading]()) { $0.append($1) }
    }
    let failed = tasks.count { $0.state != .finished }
    let began = ContinuousClock.now
    for task in tasks { _ = task.currentProgress }
    let look = ContinuousClock.now - began
    let gaps = readings.flatMap(\.gaps).sorted()
    let usual = gaps.isEmpty ? .zero : gaps[gaps.count * 99 / 100]
    let drought = readings.map(\.longestDrought).max() ?? .zero
    print(
        "failed=\(failed) gap99=\(seconds(usual)) gap=\(seconds(gaps.last ?? .zero))",
        "drought=\(seconds(drought)) look=\(seconds(look)) updates=\(gaps.count)"
    )
    guard failed == 0 else { exit(1) }
}

func startTasks(_ count: Int, _ url: URL) async throws {
    let session = DownloadSession(configuration(32))
    let began = ContinuousClock.now
    let tasks = (1...count).map { number in
        session.downloadTask(with: url, to: .file("f\(number)"))
    }
    for task in tasks { task.resume() }
    let started = ContinuousClock.now - began
    // The first tasks run by now, or will soon.
    while !tasks.contains(where: { $0.response != nil }) { await Task.yield() }
    let cancelling = ContinuousClock.now
    session.invalidateAndCancel()
    for task in tasks { _ = try? await task.file }
    print("started=\(seconds(started)) cancelled=\(seconds(ContinuousClock.now - cancelling))")
}

func readOne(_ url: URL, _ reader: String) async throws {
    let session = DownloadSession(configuration(1))
    let task = session.downloadTask(with: url, to: .file("file"))
    task.resume()
    let updates = try await withThrowingTaskGroup(of: Int.self) { group in
        group.addTask {
            var count = 0
            guard reader != "none" else { return count }
            for await _ in task.progress {
                count += 1
                // A reader that works long on each value.
                if reader == "slow" { try? await Task.sleep(for: .milliseconds(350)) }
            }
            return count
        }
        _ = try await task.file
        return try await group.next() ?? 0
    }
    print("updates=\(updates)")
}

func processorTime() -> Double {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return [usage.ru_utime, usage.ru_stime].reduce(0) { sum, time in
        sum + Double(time.tv_sec) + Double(time.tv_usec) / 1e6
    }
}

func readMany(_ count: Int) async throws {
    let session = DownloadSession(configuration(1))
    let task = session.downloadTask(with: try url("http://127.0.0.1:1/"), to: .file("none"))
    let began = processorTime()
    let updates = await withTaskGroup(of: Int.self) { group in
        for _ in 0..<count {
            group.addTask {
                var count = 0
                for await _ in task.progress { count += 1 }
                return count
            }
        }
        try? await Task.sleep(for: .seconds(3))
        task.cancel()
        return await group.reduce(0, +)
    }
    let cost = (processorTime() - began) / Double(max(1, updates))
    print("cost=\(cost) updates=\(updates)")
}

let arguments = Array(CommandLine.arguments.dropFirst())
switch (arguments.first, arguments.count) {
case ("tasks", 3): try await runTasks(arguments[1], Int(arguments[2]) ?? 1)
case ("starts", 3): try await startTasks(Int(arguments[1]) ?? 1, try url(arguments[2]))
case ("reader", 3): try await readOne(try url(arguments[1]), arguments[2])
case ("updates", 2): try await readMany(Int(arguments[1]) ?? 1)
default: exit(2)
}
