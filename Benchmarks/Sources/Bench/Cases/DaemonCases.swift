internal import Glibc

/// The cost of the daemon: idle, with many downloads in its queue, and between a command and its
/// file.
extension BenchmarkCase {
    private static let base = "http://localhost/v1"

    static let daemonIdle = BenchmarkCase(
        "daemon-idle",
        "A daemon that has nothing to do",
        about: """
            Ten seconds, right after its start and after a download of 64 MiB: the memory that it \
            holds, and how often one of its threads was given a core. To reach is once a second, which \
            may be 11 times in ten.
            """
    ) { workshop, report in
        let url = try workshop.nginx().url(try workshop.randomFile(mebibytes: 64))
        let place = try DaemonPlace("daemon-idle", in: workshop)
        let daemon = try workshop.daemon(place)
        defer { daemon.stop() }
        var goals: [Goal] = []
        for label in ["fresh", "after a download"] {
            if label != "fresh" { try workshop.fetch(url, by: place) }
            // By then the threads have ended that were needed only for a start or an end.
            Moment.now.advanced(bySeconds: 20).wait()
            let (began, before) = (Moment.now, try daemon.wakeUps())
            began.advanced(bySeconds: 10).wait()
            // A thread that has begun or ended meanwhile has woken up at least once.
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
        "Adding to the daemon's queue",
        about: """
            50,000 in one request, by `pawl add --input-file` and by curl, and 20,000 in 200 requests \
            one after the other; each answer is there when all of its request is on the disk. To \
            reach are 2,000 a second.
            """
    ) { workshop, report in
        let place = try DaemonPlace("daemon-add", in: workshop)
        let daemon = try workshop.daemon(place)
        defer { daemon.stop() }
        let (many, some) = (50_000, 100)
        let body = try workshop.requestBody(many)
        let small = try workshop.requestBody(some)
        let list = (0..<many).map { "http://host.invalid/\($0)" }.joined(separator: "\n") + "\n"
        let request = { (body: String) in
            [
                "-sSf", "--unix-socket", place.socket, "-o", "/dev/null", "-H",
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
            entrants[index].invocation.environment = place.environment
        }
        report.rounds = min(3, report.rounds)
        report.rows = try workshop.run(
            Contest(entrants: entrants, expected: [], mostRounds: report.rounds)
        )
        let seconds = report.rows.map { $0.measurement?.wallSeconds }
        report.goals = [
            Goal("50,000 by pawl add", seconds[0].map { $0 * 1000 }, atMost: 25_000, .milliseconds),
            Goal("50,000 by curl", seconds[1].map { $0 * 1000 }, atMost: 25_000, .milliseconds),
            Goal("20,000 in batches", seconds[2].map { $0 * 1000 }, atMost: 10_000, .milliseconds),
        ]
    }

    static let daemonMillion = BenchmarkCase(
        "daemon-million",
        "1,000,000 finished and 10,000 waiting downloads",
        about: """
            From the daemon's start until it answers; the slowest of five kinds of pages of 100 (the \
            first, the newest, one in the middle, those that wait, by a pattern of names), each the \
            best of ten; its memory after all that.
            """
    ) { workshop, report in
        let place = try DaemonPlace("daemon-million", in: workshop)
        try workshop.daemon(place).stop()
        try workshop.fillQueue(place)
        var row = Row(label: "daemon", kind: .pawl)
        var (start, page, memory) = (Double.infinity, Double.infinity, Double.infinity)
        for _ in 0..<min(3, report.rounds) {
            let daemon = try workshop.daemon(place)
            defer { daemon.stop() }
            start = min(start, daemon.startSeconds)
            let pages = try workshop.pageSeconds(place, base + "/downloads?limit=100")
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
            Goal("start", start * 1000, atMost: 1000, .milliseconds),
            Goal("slowest page", page * 1000, atMost: 10, .milliseconds),
            Goal("memory", memory / 1_048_576, atMost: 120, .mebibytes),
        ]
    }

    static let daemonGet = BenchmarkCase(
        "daemon-get",
        "1 GiB through the daemon",
        about: """
            Against `pawl get`, from nginx on loopback: from before the request to add until the \
            event that it has finished, while a reader of events has the progress, too. CPU is the \
            daemon's.
            """
    ) { workshop, report in
        let name = try workshop.randomFile(mebibytes: 1024)
        let url = try workshop.nginx().url(name)
        let expected = [ExpectedFile(name: Job().name, original: workshop.contents + "/" + name)]
        let place = try DaemonPlace("daemon-get", in: workshop)
        let daemon = try workshop.daemon(place)
        defer { daemon.stop() }
        guard let get = Entrant(Toolbox(workshop.settings).pawl, Job(sources: [url])) else {
            return
        }
        var rows = [Row(label: "pawl get", kind: .pawl), Row(label: "daemon", kind: .pawl)]
        // The two differ no more than two runs of the same program.
        report.rounds *= 2
        for round in 1...report.rounds {
            let one = try workshop.run(
                Contest(entrants: [get], expected: expected, mostRounds: 1)
            )
            rows[0].failure = rows[0].failure ?? one[0].failure
            rows[0].measurement = one[0].measurement.map { $0.least(rows[0].measurement) }
            Progress.show("round \(round) of \(report.rounds): daemon")
            try workshop.clearDownloads()
            let measured = try workshop.fetch(url, by: place, measuring: daemon)
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
