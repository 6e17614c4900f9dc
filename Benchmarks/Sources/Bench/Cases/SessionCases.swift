/// The cost of the library's sessions, measured with the program `SessionBench`.
extension BenchmarkCase {
    static let sessionTasks = BenchmarkCase(
        "session-tasks",
        "1,000 tasks in one session, 32 at a time",
        about: """
            Files of 1 MiB from nginx, which limits each response to about 1 MiB/s, at 50 loopback \
            addresses. Each task has a progress reader from the beginning. Figures in seconds: \
            `gap99` and `gap` are the 99th percentile and the maximum of the time between two \
            progress updates of a reader; `drought` is the longest time that a running task \
            received no byte (nginx sends in bursts, one per second); `look` is the time to read \
            the progress of all tasks once.
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
            Goal(
                "99th percentile of the time between progress updates",
                row?.least("gap99").map { $0 * 1000 },
                atMost: 200,
                .milliseconds
            ),
            Goal(
                "longest time without a byte for a running task",
                row?.least("drought").map { $0 * 1000 },
                atMost: 2000,
                .milliseconds
            ),
            Goal(
                "time to read the progress of all tasks",
                row?.least("look").map { $0 * 1000 },
                atMost: 100,
                .milliseconds
            ),
        ]
    }

    static let sessionStarts = BenchmarkCase(
        "session-starts",
        "Starting 10,000 tasks",
        about: """
            Figures in seconds: `started` is the time to create and resume all tasks; `cancelled` \
            is the time from `invalidateAndCancel` until all tasks have ended.
            """
    ) { workshop, report in
        let nginx = try workshop.nginx()
        let url = nginx.url("slow/" + (try workshop.randomFile(mebibytes: 1)))
        let entrant = workshop.sessionBench("10,000 starts", ["starts", "10000", url])
        try workshop.runSessions([entrant], into: &report)
        let started = report.rows.first?.least("started").map { $0 * 1000 }
        report.goals = [
            Goal("time to start 10,000 tasks", started, atMost: 2000, .milliseconds)
        ]
    }

    static let sessionReader = BenchmarkCase(
        "session-reader",
        "CPU cost of a progress reader",
        about: """
            1 GiB from nginx over one connection: without a progress reader, with one, and with \
            one that takes 350 ms per update. `cost` is the CPU time of one update in seconds, \
            measured with 200 readers of a suspended task. A reader receives ten updates per \
            second.
            """
    ) { workshop, report in
        let url = try workshop.nginx().url(try workshop.sparseFile(mebibytes: 1024))
        let entrants = ["none", "one", "slow"].map { kind in
            workshop.sessionBench("reader: \(kind)", ["reader", url, kind])
        }
        let many = workshop.sessionBench("200 readers", ["updates", "200"])
        try workshop.runSessions(entrants + [many], into: &report)
        report.figure = .cpu
        // Two runs of a transfer differ by more than one percent, so the cost is measured
        // separately.
        let cost = report.rows.last?.least("cost").map { $0 * 10 * 100 }
        report.goals = [Goal("CPU of one reader, in percent of a core", cost, atMost: 1, .count)]
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
