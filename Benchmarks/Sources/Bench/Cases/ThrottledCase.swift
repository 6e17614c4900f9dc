extension BenchmarkCase {
    static let throttled = BenchmarkCase(
        "throttled",
        "64 MiB from a server that gives each connection 8 MB/s",
        about: """
            The server is part of the benchmark. Ideal: eight connections are open all the time.
            """
    ) { workshop, report in
        let bytesPerSecond = 8e6
        let name = try workshop.randomFile(mebibytes: 64)
        let origin = try workshop.origin(
            name,
            OriginPlan(connectionBytesPerSecond: { _ in bytesPerSecond })
        )
        let ideal = Double(origin.fileBytes) / (8 * bytesPerSecond)
        try workshop.compareOnOrigins([origin], name, connections: 8, into: &report)
        report.idealSeconds = ideal
        report.goals = [
            .againstIdeal("pawl (8)", ideal, in: report.rows, atMost: 1.05),
            .againstIdeal("pawl", ideal, in: report.rows, atMost: 1.5),
        ]
    }

    static let crawl = BenchmarkCase(
        "crawl",
        "64 MiB with one very slow connection of four",
        about: """
            The server is part of the benchmark: the second connection that a program opens gets \
            64 KiB/s, and each other one 4 MB/s. Ideal: three fast connections and the slow one \
            all the time; a program that replaces the slow one can be faster.
            """
    ) { workshop, report in
        let crawl = 65_536.0
        let usual = 4e6
        let name = try workshop.randomFile(mebibytes: 64)
        let origin = try workshop.origin(
            name,
            OriginPlan(connectionBytesPerSecond: { $0 == 2 ? crawl : usual })
        )
        let ideal = Double(origin.fileBytes) / (3 * usual + crawl)
        try workshop.compareOnOrigins([origin], name, connections: 4, into: &report)
        report.idealSeconds = ideal
        report.goals = [.againstIdeal("pawl (4)", ideal, in: report.rows, atMost: 1.2)]
    }
}
