internal import CBench
internal import Glibc

/// A daemon for the benchmark, with its files in the scratch folder.
final class MeasuredDaemon {
    private let child: ChildProcess
    /// The time from its start until it accepts requests.
    let startSeconds: Double

    /// Starts the `pawld` in the folder of the measured `pawl`, and waits until it accepts requests.
    ///
    /// If a port is given, it also listens at 127.0.0.1.
    init(_ home: DaemonHome, listen: UInt16? = nil, in workshop: Workshop) throws {
        let log = home.folder + "/daemon.log"
        Files.remove(log)
        let began = Moment.now
        child = try ChildProcess(
            [workshop.program("pawld")] + (listen.map { ["--listen", "127.0.0.1:\($0)"] } ?? []),
            environment: workshop.environment + home.environment,
            log: log
        )
        let limit = began.advanced(bySeconds: 120)
        while true {
            let text = (try? Files.text(log)) ?? ""
            if text.contains("listens at") { break }
            guard Moment.now < limit, try child.wait(until: .now.advanced(bySeconds: 0.001)) == nil
            else { throw BenchError("pawld: \(Files.lastLine(of: text))") }
        }
        startSeconds = Moment.now.seconds(since: began)
    }

    /// Shuts the daemon down.
    func stop() { child.end(patienceSeconds: 10) }

    /// Returns the physical memory that it uses now.
    func memoryBytes() throws -> Double {
        try Double(number("VmRSS:", in: "/proc/\(child.identifier)/status") * 1024)
    }

    /// Returns how often each of its threads has been scheduled so far.
    func wakeUps() throws -> [String: Int] {
        let tasks = "/proc/\(child.identifier)/task"
        var counts: [String: Int] = [:]
        for task in Files.names(in: tasks) {
            let path = "\(tasks)/\(task)/status"
            counts[task] =
                try number("voluntary_ctxt_switches:", in: path)
                + number("nonvoluntary_ctxt_switches:", in: path)
        }
        return counts
    }

    var threadCount: Int { Files.names(in: "/proc/\(child.identifier)/task").count }

    /// Returns the user and system time of all its threads so far, including ended ones.
    func cpuSeconds() throws -> Double {
        var clock = clockid_t()
        var time = timespec()
        guard clock_getcpuclockid(child.identifier, &clock) == 0, clock_gettime(clock, &time) == 0
        else { throw BenchError("cannot read the daemon's CPU time") }
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private func number(_ name: String, in path: String) throws -> Int {
        for line in try Files.text(path).split(separator: "\n") where line.hasPrefix(name) {
            let words = line.dropFirst(name.count).split { $0 == " " || $0 == "\t" }
            if let value = words.first.flatMap({ Int($0) }) { return value }
        }
        throw BenchError("\(path) has no \(name)")
    }
}

/// The locations of a daemon's socket and queue.
struct DaemonHome {
    let folder: String
    /// The address of the database for the queue; `nil` for a file.
    private let store: String?

    /// `store`: the address of a database with a schema of its own for each name.
    init(
        _ name: String,
        in workshop: Workshop,
        store: String? = nil,
        _ schema: String = "queue"
    ) throws {
        self.store = store.map { "\($0) options='-c search_path=bench_\(schema)_\(getpid())'" }
        folder = workshop.root + "/" + name
        Files.remove(folder)
        for path in [folder, folder + "/run"] { try Files.makeFolder(path) }
    }

    var environment: [String] {
        ["XDG_RUNTIME_DIR=\(folder)/run", "XDG_STATE_HOME=\(folder)/state"]
            + (store.map { ["PAWL_STORE=\($0)"] } ?? [])
    }

    var socket: String { folder + "/run/pawl/daemon.sock" }
    var queue: String { folder + "/state/pawl/queue.sqlite" }

    /// Returns the token for TCP.
    func token() throws -> String {
        let text = try Files.text(folder + "/state/pawl/api-token")
        guard let line = text.split(separator: "\n").first else {
            throw BenchError("the daemon's token file is empty")
        }
        return String(line)
    }
}

extension Workshop {
    /// Returns the path of a program in the folder of the measured `pawl`.
    func program(_ name: String) -> String {
        guard let slash = settings.pawl.lastIndex(of: "/") else { return name }
        return settings.pawl[...slash] + name
    }

    /// Starts a daemon that ends with the workshop at the latest.
    func daemon(_ home: DaemonHome, listen: UInt16? = nil) throws -> MeasuredDaemon {
        let daemon = try MeasuredDaemon(home, listen: listen, in: self)
        atEnd { daemon.stop() }
        return daemon
    }

    /// Creates a token that allows reading.
    func readingToken(_ home: DaemonHome) throws -> String {
        let words = ["daemon", "token", "--scope", "read", "--name", "readers"]
        let output = try command(["env"] + home.environment + [settings.pawl] + words)
        guard let token = output.split(separator: "\n").last else {
            throw BenchError("pawl daemon token prints no token")
        }
        return String(token)
    }

    /// Sends a request to the daemon with curl.
    ///
    /// Returns the output.
    @discardableResult
    func ask(_ home: DaemonHome, _ words: [String]) throws -> String {
        try command(["curl", "-sSf", "--unix-socket", home.socket] + words)
    }
}
