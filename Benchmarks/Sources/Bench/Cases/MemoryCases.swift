extension BenchmarkCase {
    static let memory = BenchmarkCase(
        "memory",
        "Peak memory for 1 GiB",
        about: "The file consists of zeros; the server is nginx on loopback."
    ) { workshop, report in
        let tools = Toolbox(workshop.settings)
        let name = try workshop.sparseFile(mebibytes: 1024)
        let auto = Job(sources: [try workshop.nginx().url(name)])
        var (one, many, most) = (auto, auto, auto)
        one.connections = .fixed(1)
        many.connections = .fixed(16)
        most.connections = .fixed(64)
        try workshop.comparePeak(
            [
                Entrant(tools.pawl, one), Entrant(tools.pawl, many), Entrant(tools.pawl, most),
                Entrant(tools.curl, auto), Entrant(tools.wget2, auto), Entrant(tools.aria2, many),
                Entrant(tools.axel, many),
            ],
            of: [name],
            mostRounds: 3,
            atMostMebibytes: 32,
            into: &report
        )
    }

    static let memory10G = BenchmarkCase(
        "memory-10g",
        "Peak memory for 10 GiB",
        about: "As memory, but with a file of 10 GiB, one round, and only Pawl."
    ) { workshop, report in
        let tools = Toolbox(workshop.settings)
        let name = try workshop.sparseFile(mebibytes: 10_240)
        let source = try workshop.nginx().url(name)
        try workshop.comparePeak(
            [
                Entrant(tools.pawl, Job(sources: [source], connections: .fixed(1))),
                Entrant(tools.pawl, Job(sources: [source], connections: .fixed(16))),
                Entrant(tools.pawl, Job(sources: [source], connections: .fixed(64))),
            ],
            of: [name],
            mostRounds: 1,
            atMostMebibytes: 32,
            into: &report
        )
    }

    static let memory200 = BenchmarkCase(
        "memory-200",
        "Peak memory of 200 simultaneous downloads",
        about: """
            200 files of 4 MiB from nginx, which limits each response to about 1 MiB/s. The files \
            are spread over 50 loopback addresses because Pawl limits the number of connections \
            per host.
            """
    ) { workshop, report in
        let nginx = try workshop.nginx()
        let names = try workshop.smallFiles(200, kibibytes: 4096)
        let files = names.enumerated().map { index, name in
            nginx.url("slow/" + name, host: index % NginxSettings.hosts + 1)
        }
        let job = Job(files: files, filesAtATime: 200)
        let tools = Toolbox(workshop.settings)
        try workshop.comparePeak(
            [
                Entrant(tools.pawl, job), Entrant(tools.curl, job), Entrant(tools.wget2, job),
                Entrant(tools.aria2, job),
            ],
            of: names,
            mostRounds: 3,
            atMostMebibytes: 96,
            into: &report
        )
    }
}

extension Workshop {
    /// Compares the peak memory.
    ///
    /// The names are those of one file, which the tools call `file`, or of several.
    fileprivate func comparePeak(
        _ entrants: [Entrant?],
        of names: [String],
        mostRounds: Int,
        atMostMebibytes limit: Double,
        into report: inout CaseReport
    ) throws {
        report.figure = .peak
        report.rounds = min(mostRounds, settings.rounds)
        report.rows = try run(
            Contest(
                entrants: entrants.compactMap(\.self),
                expected: names.map { name in
                    let copy = names.count == 1 ? Job().name : Job.name(of: name)
                    return ExpectedFile(name: copy, original: contents + "/" + name)
                },
                limitSeconds: 400,
                mostRounds: mostRounds
            )
        )
        report.goals = report.rows.filter { $0.kind == .pawl }
            .map { .peak(of: $0, atMostMebibytes: limit) }
    }
}

extension Goal {
    fileprivate static func peak(of row: Row, atMostMebibytes limit: Double) -> Goal {
        let value = row.measurement?.peakBytes.map { $0 / 1_048_576 }
        return Goal("peak of \(row.label)", value, atMost: limit, .mebibytes)
    }
}
