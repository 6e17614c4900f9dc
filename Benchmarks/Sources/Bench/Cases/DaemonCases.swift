internal import Glibc

/// The cost of the daemon: while it is idle, with many downloads in its queue, and for a single
/// download.
extension BenchmarkCase {
    private static let base = "http://localhost/v1"

    static let daemonIdle = BenchmarkCase(
        "daemon-idle",
        "An idle daemon",
        about: """
            Measured for ten seconds, 20 seconds after the daemon's start and again 20 seconds \
            after a download of 64 MiB: its memory, and how often one of its threads was \
            scheduled. The target is one wake-up per second, which can be 11 in ten seconds.
            """
    ) { workshop, report in
        let url = try workshop.nginx().url(try workshop.randomFile(mebibytes: 64))
        let home = try DaemonHome("daemon-idle", in: workshop)
        let daemon = try workshop.daemon(home)
        defer { daemon.stop() }
        var goals: [Goal] = []
        for label in ["after the start", "after a download"] {
            if label != "after the start" { try workshop.fetch(url, by: home) }
            // After this time, the threads needed only for a start or an end have ended.
            Moment.now.advanced(bySeconds: 20).wait()
            let (began, before) = (Moment.now, try daemon.wakeUps())
            began.advanced(bySeconds: 10).wait()
            // A thread that began or ended in the meantime has woken up at least once.
            let after = try daemon.wakeUps()
            let wakeUps =
                after.reduce(0) { $0 + $1.value - (before[$1.key] ?? 0) }
                + before.keys.count { after[$0] == nil }
            var row = Row(label: label, kind: .pawl)
            let memory = try daemon.memoryBytes()
            row.measurement = Measurement(
                wallSeconds: Moment.now.seconds(since: began),
                peakBytes: memory
            )
            row.notes = ["\(wakeUps) wake-ups in 10 s, \(daemon.threadCount) threads"]
            report.rows.append(row)
            goals.append(Goal("memory, \(label)", memory / 1_048_576, atMost: 40, .mebibytes))
            goals.append(
                Goal("wake-ups in 10 s, \(label)", Double(wakeUps), atMost: 11, .count)
            )
        }
        report.rounds = 1
        report.figure = .peak
        report.goals = goals
    }

    static let daemonAdd = BenchmarkCase(
        "daemon-add",
        "Adding downloads to the daemon's queue",
        about: """
            50,000 downloads in one request, sent by `pawl add --input-file` and by curl, and \
            20,000 downloads in 200 consecutive requests. The daemon responds when all downloads \
            of a request are on the disk. The target is 2,000 downloads per second.
            """
    ) { workshop, report in
        let home = try DaemonHome("daemon-add", in: workshop)
        let daemon = try workshop.daemon(home)
        defer { daemon.stop() }
        let (many, some) = (50_000, 100)
        let body = try workshop.requestBody(many)
        let small = try workshop.requestBody(some)
        let list = (0..<many).map { "http://host.invalid/\($0)" }.joined(separator: "\n") + "\n"
        let request = { (body: String) in
            [
                "-sSf", "--unix-socket", home.socket, "-o", "/dev/null", "-H",
                "Content-Type: application/json", "--data-binary",
                "@" + body, base + "/downloads",
            ]
        }
        let batches = (0..<200).flatMap { ($0 == 0 ? [] : ["--next"]) + request(small) }
        var entrants = [
            Entrant(
                label: "pawl add, one request",
                words: [workshop.settings.pawl, "add", "--paused", "-i", Invocation.listPath],
                kind: .pawl
            ),
            Entrant(label: "curl, one request", words: ["curl"] + request(body), kind: .yardstick),
            Entrant(
                label: "curl, 200 requests",
                words: ["curl"] + batches,
                kind: .yardstick
            ),
        ]
        entrants[0].invocation.list = list
        for index in entrants.indices {
            entrants[index].invocation.environment = home.environment
        }
        report.rounds = min(3, report.rounds)
        report.rows = try workshop.run(
            Contest(entrants: entrants, expected: [], mostRounds: report.rounds)
        )
        let seconds = report.rows.map { $0.measurement?.wallSeconds }
        report.goals = [
            Goal(
                "50,000 downloads with pawl add",
                seconds[0].map { $0 * 1000 },
                atMost: 25_000,
                .milliseconds
            ),
            Goal(
                "50,000 downloads with curl",
                seconds[1].map { $0 * 1000 },
                atMost: 25_000,
                .milliseconds
            ),
            Goal(
                "20,000 downloads in 200 requests",
                seconds[2].map { $0 * 1000 },
                atMost: 10_000,
                .milliseconds
            ),
        ]
    }

    static let daemonMillion = BenchmarkCase(
        "daemon-million",
        "1,000,000 finished and 10,000 waiting downloads",
        about: """
            *wall* is the time from the daemon's start until it responds; *peak* is its memory \
            after all requests. Five kinds of pages with 100 downloads each are requested: the \
            first page, the newest downloads, a page in the middle, the waiting downloads, and the \
            downloads whose name matches a pattern. The time of each kind is the best of ten \
            requests.
            """
    ) { workshop, report in
        let home = try DaemonHome("daemon-million", in: workshop)
        try workshop.daemon(home).stop()
        try workshop.fillQueue(home)
        var row = Row(label: "daemon", kind: .pawl)
        var (start, page, memory) = (Double.infinity, Double.infinity, Double.infinity)
        for _ in 0..<min(3, report.rounds) {
            let daemon = try workshop.daemon(home)
            defer { daemon.stop() }
            start = min(start, daemon.startSeconds)
            let pages = try workshop.pageSeconds(home, base + "/downloads?limit=100")
            if let slowest = pages.max(by: { $0.seconds < $1.seconds }), slowest.seconds < page {
                page = slowest.seconds
                row.notes = pages.map { "\($0.name) \(FigureText.seconds($0.seconds))" }
            }
            memory = min(memory, try daemon.memoryBytes())
        }
        row.notes = [row.notes.joined(separator: ", ")]
        row.measurement = Measurement(wallSeconds: start, peakBytes: memory)
        report.rounds = min(3, report.rounds)
        report.rows = [row]
        report.goals = [
            Goal("time to start", start * 1000, atMost: 1000, .milliseconds),
            Goal("slowest page", page * 1000, atMost: 10, .milliseconds),
            Goal("memory", memory / 1_048_576, atMost: 120, .mebibytes),
        ]
    }

    static let daemonGet = BenchmarkCase(
        "daemon-get",
        "1 GiB through the daemon",
        about: """
            The daemon is compared with `pawl get`; the server is nginx on loopback. The daemon's \
            time is from before the request that adds the download until the event that reports \
            its end, while an event reader receives the progress. CPU is the daemon's.
            """
    ) { workshop, report in
        let name = try workshop.randomFile(mebibytes: 1024)
        let url = try workshop.nginx().url(name)
        let expected = [ExpectedFile(name: Job().name, original: workshop.contents + "/" + name)]
        let home = try DaemonHome("daemon-get", in: workshop)
        let daemon = try workshop.daemon(home)
        defer { daemon.stop() }
        guard let get = Entrant(Toolbox(workshop.settings).pawl, Job(sources: [url])) else {
            return
        }
        var rows = [Row(label: "pawl get", kind: .pawl), Row(label: "daemon", kind: .pawl)]
        // The two differ about as little as two runs of the same program: more rounds are needed.
        report.rounds *= 2
        for round in 1...report.rounds {
            let one = try workshop.run(
                Contest(entrants: [get], expected: expected, mostRounds: 1)
            )
            rows[0].failure = rows[0].failure ?? one[0].failure
            rows[0].measurement = one[0].measurement.map { $0.least(rows[0].measurement) }
            Progress.show("round \(round) of \(report.rounds): daemon")
            try workshop.clearDownloads()
            let measured = try workshop.fetch(url, by: home, measuring: daemon)
            let path = workshop.downloads + "/" + Job().name
            if let fault = FileComparison.fault(in: path, original: expected[0].original) {
                rows[1].failure = "wrong file: \(fault)"
            }
            rows[1].measurement = measured.least(rows[1].measurement)
        }
        Progress.clear()
        report.rows = rows
        report.goals = [
            .ratio("daemon", to: "pawl get", .wall, in: rows, atMost: 1.03),
            .ratio("daemon", to: "pawl get", .cpu, in: rows, atMost: 1.03),
        ]
    }
}
