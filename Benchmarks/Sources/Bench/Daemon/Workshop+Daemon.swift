internal import Glibc

/// The operations of the daemon's cases.
extension Workshop {
    /// Writes a file with a request that adds the given number of paused downloads.
    func requestBody(_ count: Int) throws -> String {
        let path = root + "/add-\(count).json"
        let items = (0..<count).map { number in
            #"{"url":"http://host.invalid/\#(number)","destination":"\#(downloads)/","isPaused":true}"#
        }
        try Files.write("{\"downloads\":[" + items.joined(separator: ",") + "]}", to: path)
        return path
    }

    /// Has the daemon fetch a file into the folder of downloads, and waits for the end.
    @discardableResult
    func fetch(
        _ url: String,
        by home: DaemonHome,
        measuring daemon: MeasuredDaemon? = nil
    ) throws -> Measurement {
        let log = root + "/events.log"
        Files.remove(log)
        let last = try lastEvent(home)
        // The script ends with the event, so polling is not necessary.
        let script = """
            exec sed -u '/^event: finished/q;/^event: failed/q' < <(exec curl -sN \
            --unix-socket "$0" -H "Last-Event-ID: $1" http://localhost/v1/events)
            """
        let reader = try ChildProcess(
            ["bash", "-c", script, home.socket, "\(last)"],
            environment: environment,
            log: log
        )
        defer { reader.end(SIGKILL) }
        try waitForReader(log)
        let body = root + "/one.json"
        let item = #"{"url":"\#(url)","destination":"\#(downloads)/\#(Job().name)"}"#
        try Files.write("{\"downloads\":[\(item)]}", to: body)
        let cpu = try daemon?.cpuSeconds()
        let began = Moment.now
        try ask(
            home,
            [
                "-o", "/dev/null", "-H", "Content-Type: application/json", "--data-binary",
                "@" + body, "http://localhost/v1/downloads",
            ]
        )
        let end = try reader.wait(until: .now.advanced(bySeconds: 120))
        var measurement = Measurement(wallSeconds: Moment.now.seconds(since: began))
        guard end != nil, try Files.text(log).contains("event: finished") else {
            throw BenchError("the daemon did not fetch the file in time")
        }
        if let daemon, let cpu {
            // Work after the event is included.
            Moment.now.advanced(bySeconds: 0.2).wait()
            measurement.cpuSeconds = try daemon.cpuSeconds() - cpu
            measurement.peakBytes = try daemon.memoryBytes()
        }
        return measurement
    }

    private func lastEvent(_ home: DaemonHome) throws -> Int {
        let status = try ask(home, ["http://localhost/v1/status"])
        let digits = status.firstRange(of: "\"lastEvent\":").map { status[$0.upperBound...] }
        guard let digits, let last = Int(digits.prefix { $0.isNumber }) else {
            throw BenchError("the daemon's status contains no event number")
        }
        return last
    }

    /// Waits until a reader of events is connected.
    ///
    /// The daemon sends it a comment immediately.
    private func waitForReader(_ log: String) throws {
        let limit = Moment.now.advanced(bySeconds: 20)
        while try Files.text(log).isEmpty {
            try Interruption.check()
            guard Moment.now < limit else { throw BenchError("the daemon sends no events") }
            Moment.now.advanced(bySeconds: 0.005).wait()
        }
    }

    /// Adds 1,000,000 finished and 10,000 waiting downloads to a queue that no process has open.
    func fillQueue(_ home: DaemonHome) throws {
        let script = root + "/fill.sql"
        try Files.write(Self.fillingScript, to: script)
        do {
            try command(["sqlite3", "-version"])
        } catch {
            throw Skip(reason: "sqlite3 is not installed")
        }
        try command(["sqlite3", "-bail", home.queue, ".read \(script)"])
    }

    /// The SQL script that fills the queue.
    ///
    /// Waiting downloads do not start before the year 2100. The history keeps all others.
    private static let fillingScript = """
        PRAGMA journal_mode = WAL;
        BEGIN;
        INSERT OR REPLACE INTO setting (name, value)
        VALUES ('settings', '{"historyCount":10000000,"historyDays":36500}');
        INSERT INTO download (state, name, url, destination, path, completedBytes, totalBytes,
            priority, position, createdAt, endedAt, starts)
        WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 1000000)
        SELECT 'finished', 'file-' || n || '.iso', 'https://mirror.example/pub/file-' || n || '.iso',
            '/home/somebody/downloads/', '/home/somebody/downloads/file-' || n || '.iso',
            n * 1000, n * 1000, 1, n, 1700000000 + n, 1700000100 + n, 1
        FROM number;
        INSERT INTO download (state, name, url, destination, priority, position, createdAt, notBefore)
        WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 10000)
        SELECT 'waiting', 'next-' || n || '.iso', 'https://mirror.example/pub/next-' || n || '.iso',
            '/home/somebody/downloads/', 1, 1000000 + n, 1701000000 + n, 4102444800
        FROM number;
        INSERT INTO request (download, body)
        SELECT id, CAST('{"url":"' || url || '","destination":"' || destination || '"}' AS BLOB)
        FROM download WHERE state = 'waiting';
        INSERT INTO event (kind, download, name, at)
        SELECT 'added', id, name, createdAt FROM download ORDER BY id DESC LIMIT 100000;
        UPDATE counter SET value = (SELECT MAX(id) FROM event) WHERE name = 'event';
        COMMIT;
        PRAGMA wal_checkpoint(TRUNCATE);
        """

    /// Measures each kind of page; the best of ten requests counts.
    func pageSeconds(
        _ home: DaemonHome,
        _ url: String
    ) throws -> [(name: String, seconds: Double)] {
        let kinds = [
            ("first", ""), ("newest", "&order=newest"), ("middle", "&after=500000"),
            ("waiting", "&state=waiting"), ("name", "&target=file-77777*"),
        ]
        return try kinds.map { name, query in
            let requests = (0..<10).flatMap { _ in ["-o", "/dev/null", url + query] }
            let text = try ask(home, ["-w", "%{time_total}\n"] + requests)
            let times = text.split(separator: "\n").compactMap { Double($0) }
            guard times.count == 10, let best = times.min() else {
                throw BenchError("could not measure the pages '\(name)'")
            }
            return (name, best)
        }
    }
}
