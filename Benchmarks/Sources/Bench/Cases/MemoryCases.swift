extension BenchmarkCase {
    static let memory = BenchmarkCase(
        "memory",
        "Peak memory for 1 GiB and 10 GiB, with 1 and 16 connections",
        about: "Files of zeros from nginx on loopback. Those of 10 GiB are fetched once."
    ) { workshop, report in
        let tools = Toolbox(workshop.settings)
        let labels = ["1 GiB", "10 GiB"]
        for (label, mebibytes) in zip(labels, [1024, 10_240]) {
            let name = try workshop.sparseFile(mebibytes: mebibytes)
            let source = try workshop.nginx().url(name)
            let one = Job(sources: [source], connections: .fixed(1))
            let many = Job(sources: [source], connections: .fixed(16))
            var entrants = [
                Entrant(tools.pawl, one, label: "pawl (1), \(label)"),
                Entrant(tools.pawl, many, label: "pawl (16), \(label)"),
            ]
            if label == labels[0] {
                entrants += [
                    Entrant(tools.curl, Job(sources: [source]), label: "curl, \(label)"),
                    Entrant(tools.wget2, one, label: "wget2 (1), \(label)"),
                    Entrant(tools.aria2, many, label: "aria2 (16), \(label)"),
                    Entrant(tools.axel, many, label: "axel (16), \(label)"),
                ]
            }
            report.rows += try workshop.run(
                Contest(
                    entrants: entrants.compactMap(\.self),
                    expected: [
                        ExpectedFile(name: one.name, original: workshop.contents + "/" + name)
                    ],
                    limitSeconds: 400,
                    mostRounds: label == labels[0] ? 3 : 1
                )
            )
        }
        report.rounds = min(3, workshop.settings.rounds)
        report.goals = report.rows.filter { $0.kind == .pawl }
            .map { .peak(of: $0, atMostMebibytes: 32) }
    }

    static let memory200 = BenchmarkCase(
        "memory-200",
        "Peak memory of 200 downloads at a time",
        about: "200 files of 4 MiB from nginx on loopback, which gives each about 1 MiB/s."
    ) { workshop, report in
        let nginx = try workshop.nginx()
        let names = try workshop.smallFiles(200, kibibytes: 4096)
        let job = Job(files: names.map { nginx.url("slow/" + $0) }, filesAtATime: 200)
        let tools = Toolbox(workshop.settings)
        report.rows = try workshop.run(
            Contest(
                entrants: [
                    Entrant(tools.pawl, job), Entrant(tools.curl, job), Entrant(tools.wget2, job),
                    Entrant(tools.aria2, job),
                ].compactMap(\.self),
                expected: names.map {
                    ExpectedFile(name: Job.name(of: $0), original: workshop.contents + "/" + $0)
                },
                mostRounds: 3
            )
        )
        report.rounds = min(3, workshop.settings.rounds)
        report.goals = report.rows.filter { $0.kind == .pawl }
            .map { .peak(of: $0, atMostMebibytes: 96) }
    }
}

extension Goal {
    fileprivate static func peak(of row: Row, atMostMebibytes limit: Double) -> Goal {
        let value = row.measurement?.peakBytes.map { $0 / 1_048_576 }
        return Goal("peak of \(row.label)", value, atMost: limit, .mebibytes)
    }
}
