extension BenchmarkCase {
    static let oneStreamFills = BenchmarkCase(
        "one-stream-fills",
        "256 MiB over a link that one connection fills",
        about: """
            The server is part of the benchmark and sends 32 MB/s over all connections together, \
            so a second connection gains nothing. The target counts the connections that were open \
            at the same time as the longest one for more than a tenth of the run.
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
                    return "\(beside.count + 1) connections; a second one was open for up to "
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
            Goal(
                "additional connections open for over a tenth of the run",
                measured ? Double(lasting) : nil,
                atMost: 0,
                .count
            ),
        ]
    }
}

extension OriginRecord {
    /// The time that each connection was open at the same time as the one that was open longest.
    ///
    /// That one is left out. A connection opened after it was closed counts with 0 seconds.
    fileprivate func secondsBesideTheLongest(until end: Moment) -> [Double] {
        let spans = connections.map { (opened: $0.opened, closed: $0.closed ?? end) }
            .sorted { $0.closed.seconds(since: $0.opened) < $1.closed.seconds(since: $1.opened) }
        guard let longest = spans.last else { return [] }
        return spans.dropLast().map { span in
            let begin =
                span.opened.seconds(since: longest.opened) > 0 ? span.opened : longest.opened
            let end = span.closed.seconds(since: longest.closed) < 0 ? span.closed : longest.closed
            return max(0, end.seconds(since: begin))
        }
    }
}
