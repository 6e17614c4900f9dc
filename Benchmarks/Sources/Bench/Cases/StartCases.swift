internal import Glibc

extension BenchmarkCase {
    /// The factor for the number of rounds: the runs are short, so a single figure means little.
    private static let roundsEach = 5

    static let startVersion = BenchmarkCase(
        "start-version",
        "Start-up: time to print the version",
        about: "`--version` of each program, with five times the usual number of rounds."
    ) { workshop, report in
        let programs: [(label: String, program: String, kind: Row.Kind)] = [
            ("pawl", workshop.settings.pawl, .pawl), ("curl", "curl", .peer),
            ("wget2", "wget2", .peer), ("aria2", "aria2c", .peer), ("axel", "axel", .peer),
        ]
        for _ in 1...roundsEach {
            let rows = try workshop.run(
                Contest(
                    entrants: programs.map {
                        Entrant(label: $0.label, words: [$0.program, "--version"], kind: $0.kind)
                    },
                    expected: []
                )
            )
            report.rows = report.rows.isEmpty ? rows : report.rows.least(rows)
        }
        report.rounds *= roundsEach
        report.goals = [.wallMilliseconds(of: "pawl", in: report.rows, atMost: 15)]
    }

    static let startRequest = BenchmarkCase(
        "start-request",
        "Start-up: time until the server has the first request",
        about: """
            A server that is part of the benchmark records when the request arrives. The number of \
            rounds is five times the usual one.
            """
    ) { workshop, report in
        let name = try workshop.randomFile(mebibytes: 64)
        let origin = try workshop.origin(name, OriginPlan())
        origin.mute()
        let tools = Toolbox(workshop.settings)
        let all: [any Tool] = [tools.pawl, tools.curl, tools.wget2, tools.aria2, tools.axel]
        let entrants = all.compactMap { Entrant($0, Job(sources: [origin.url]), label: $0.name) }
        report.rounds *= roundsEach
        for _ in 1...report.rounds {
            let rows = try entrants.map { entrant in
                try workshop.clearDownloads()
                return try workshop.firstRequest(of: entrant, at: origin)
            }
            report.rows = report.rows.isEmpty ? rows : report.rows.least(rows)
        }
        report.goals = [.wallMilliseconds(of: "pawl", in: report.rows, atMost: 30)]
    }
}

extension Workshop {
    /// Measures the time from a program's start until its first request arrives at an origin that
    /// sends no responses; the program is then ended.
    func firstRequest(of entrant: Entrant, at origin: Origin) throws -> Row {
        origin.reset()
        var row = Row(label: entrant.label, kind: entrant.kind)
        let run = try ProgramRun(entrant.invocation, in: self)
        defer { run.child.end(SIGKILL) }
        let limit = Moment.now.advanced(bySeconds: 60)
        while Moment.now < limit {
            guard try run.child.wait(until: .now.advanced(bySeconds: 0.005)) == nil else {
                row.failure = "the program ended: \(run.lastWords)"
                return row
            }
            if let request = origin.record.requests.first, let began = run.began {
                row.measurement = Measurement(wallSeconds: request.arrived.seconds(since: began))
                if let first = request.firstByte, first > 0 {
                    row.notes = ["requested from byte \(first)"]
                }
                return row
            }
        }
        row.failure = "no request within a minute"
        return row
    }
}

extension [Row] {
    /// Returns the minimum of both, row by row.
    fileprivate func least(_ others: [Row]) -> [Row] {
        zip(self, others).map { first, second in
            var row = first
            row.failure = first.failure ?? second.failure
            row.measurement = second.measurement.map { $0.least(first.measurement) }
            return row
        }
    }
}

extension Goal {
    static func wallMilliseconds(of label: String, in rows: [Row], atMost limit: Double) -> Goal {
        let value = rows.measurement(label).map { $0.wallSeconds * 1000 }
        return Goal("wall of \(label)", value, atMost: limit, .milliseconds)
    }
}
