extension BenchmarkCase {
    static let oneStreamFills = BenchmarkCase(
        "one-stream-fills",
        "256 MiB over a link that one stream fills",
        about: """
            An origin of the benchmark's own gives 32 MB/s over all connections, so a second one \
            brings nothing. One that stays open for a tenth of the time beside the first is a \
            lasting one.
            """
    ) { workshop, report in
        let bytesPerSecond = 32e6
        let name = try workshop.randomFile(mebibytes: 256)
        let origin = try workshop.origin(name, OriginPlan(bytesPerSecond: bytesPerSecond))
        let tools = Toolbox(workshop.settings)
        let auto = Job(sources: [origin.url])
        let one = Job(sources: [origin.url], connections: .fixed(1))
        var lasting = 0
        report.rows = try workshop.run(
            Contest(
                entrants: [
                    Entrant(tools.pawl, auto), Entrant(tools.pawl, one), Entrant(tools.curl, auto),
                ].compactMap(\.self),
                expected: [
                    ExpectedFile(name: auto.name, original: workshop.contents + "/" + name)
                ],
                mostRounds: 3,
                prepare: { origin.reset() },
                observe: { entrant, measurement in
                    let beside = origin.record.secondsBesideTheLongest(until: .now)
                    if entrant.label == tools.pawl.name {
                        let least = measurement.wallSeconds / 10
                        lasting = max(lasting, beside.filter { $0 > least }.count)
                    }
                    guard let longest = beside.max() else { return "1 connection" }
                    return "\(beside.count + 1) connections, the second longest open for "
                        + FigureText.seconds(longest)
                }
            )
        )
        report.rounds = min(3, workshop.settings.rounds)
        report.idealSeconds = Double(origin.fileBytes) / bytesPerSecond
        let rows = report.rows
        let measured = rows.measurement(tools.pawl.name) != nil
        report.goals = [
            .ratio("pawl", to: "pawl (1)", .wall, in: rows, atMost: 1.02),
            Goal("lasting second connections", measured ? Double(lasting) : nil, atMost: 0, .count),
        ]
    }
}

extension OriginRecord {
    /// How long each connection was open, but for the one that was open longest.
    fileprivate func secondsBesideTheLongest(until end: Moment) -> [Double] {
        connections.map { ($0.closed ?? end).seconds(since: $0.opened) }.sorted().dropLast()
    }
}
