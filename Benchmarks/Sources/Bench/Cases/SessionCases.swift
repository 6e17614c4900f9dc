/// The cost of the library's sessions, measured with the program `SessionBench`.
extension BenchmarkCase {
    static let sessionTasks = BenchmarkCase(
        "session-tasks",
        "1,000 tasks in one session, 32 at a time",
        about: """
            Files of 1 MiB from nginx, which gives each about 1 MiB/s, at 50 addresses of loopback; \
            each task has a reader of its progress from the beginning. `gap99`: how long 99 of 100 \
            times a reader waited for the next progress, in seconds, and `gap` the longest; \
            `drought`: the longest that a running task got no byte (nginx paces in bursts, one a \
            second); `look`: reading the progress of all once.
            """
    ) { workshop, report in
        let nginx = try workshop.nginx()
        let name = try workshop.randomFile(mebibytes: 1)
        let urls = (0..<1000).map { nginx.url("slow/" + name, host: $0 % NginxSettings.hosts + 1) }
        let entrant = workshop.sessionBench(
            "1,000 tasks",
            ["tasks", Invocation.listPath, "32"],
            list: urls.joined(separator: "\n") + "\n"
        )
        try workshop.runSessions([entrant], mostRounds: 3, into: &report)
        report.figure = .peak
        let row = report.rows.first
        report.goals = [
            Goal(
                "peak of 1,000 tasks",
                row?.measurement?.peakBytes.map { $0 / 1_048_576 },
                atMost: 80,
                .mebibytes
            ),
            Goal("gap99", row?.least("gap99").map { $0 * 1000 }, atMost: 200, .milliseconds),
            Goal("drought", row?.least("drought").map { $0 * 1000 }, atMost: 2000, .milliseconds),
            Goal("look", row?.least("look").map { $0 * 1000 }, atMost: 100, .milliseconds),
        ]
    }

    static let sessionStarts = BenchmarkCase(
        "session-starts",
        "Starting 10,000 tasks",
        about: """
            `started`: making and resuming all of them, in seconds; `cancelled`: until all have \
            ended after `invalidateAndCancel`.
            """
    ) { workshop, report in
        let nginx = try workshop.nginx()
        let url = nginx.url("slow/" + (try workshop.randomFile(mebibytes: 1)))
        let entrant = workshop.sessionBench("10,000 starts", ["starts", "10000", url])
        try workshop.runSessions([entrant], into: &report)
        let started = report.rows.first?.least("started").map { $0 * 1000 }
        report.goals = [Goal("started", started, atMost: 2000, .milliseconds)]
    }

    static let sessionReader = BenchmarkCase(
        "session-reader",
        "What a reader of the progress costs",
        about: """
            1 GiB from nginx over one connection: without a reader, with one, and with one that \
            takes 350 ms for each progress. `cost`: the CPU time of one progress in seconds, by 200 \
            readers of a task that stands still; a reader takes ten a second.
            """
    ) { workshop, report in
        let url = try workshop.nginx().url(try workshop.sparseFile(mebibytes: 1024))
        let entrants = ["none", "one", "slow"].map { kind in
            workshop.sessionBench("reader: \(kind)", ["reader", url, kind])
        }
        let many = workshop.sessionBench("200 readers", ["updates", "200"])
        try workshop.runSessions(entrants + [many], into: &report)
        report.figure = .cpu
        // Two runs of a transfer differ by more than one percent, so the cost is measured by
        // itself.
        let cost = report.rows.last?.least("cost").map { $0 * 10 * 100 }
        report.goals = [Goal("percent of a core for a reader", cost, atMost: 1, .count)]
    }
}

extension Workshop {
    fileprivate func sessionBench(
        _ label: String,
        _ words: [String],
        list: String? = nil
    ) -> Entrant {
        var entrant = Entrant(
            label: label,
            words: [program("SessionBench")] + words,
            kind: .pawl
        )
        entrant.invocation.list = list
        entrant.tellsFigures = true
        return entrant
    }

    fileprivate func runSessions(
        _ entrants: [Entrant],
        mostRounds: Int = .max,
        into report: inout CaseReport
    ) throws {
        report.rounds = min(mostRounds, settings.rounds)
        report.rows = try run(
            Contest(entrants: entrants, expected: [], limitSeconds: 300, mostRounds: mostRounds)
        )
    }
}

extension Row {
    /// Returns the minimum of a figure that the program printed as `name=value`.
    fileprivate func least(_ name: String) -> Double? {
        notes.flatMap { $0.split(separator: " ") }
            .filter { $0.hasPrefix(name + "=") }
            .compactMap { Double($0.dropFirst(name.count + 1)) }
            .min()
    }
}
