internal import Glibc

extension BenchmarkCase {
    static let regret = BenchmarkCase(
        "regret",
        "Pawl's own number of connections beside every fixed number, on many links and servers",
        about: """
            In each cell, the programs fetch one file over a shaped link. The size is chosen so that a \
            transfer takes a few seconds. *Regret* is the time of Pawl with its own number of \
            connections, divided by the shortest time of all programs and numbers. A *later* \
            download begins with what earlier ones have learned about the host. Rates, delays \
            and sizes vary by a few percent with the seed, from run to run. There are two rounds, \
            and five on links with loss; a program that took more than four times the shortest time \
            is not run again.
            """,
        runsByDefault: false
    ) { workshop, report in
        let seed = workshop.settings.seed ?? UInt64(Moment.now.nanoseconds % 1_000_000)
        var random = VariedNumbers(seed: seed)
        var result = RegretResult(seed: seed)
        for cell in RegretGrid.cells {
            let cell = cell.varied(seconds: workshop.settings.cellSeconds, by: &random)
            guard workshop.settings.cells.map({ cell.title.contains($0) }) ?? true else { continue }
            let entry = try workshop.compete(in: cell)
            print(TerminalReport.line(entry))
            fflush(nil)
            result.entries.append(entry)
        }
        report.rounds = min(2, workshop.settings.rounds)
        report.regret = result
        report.goals = [
            Goal("regret, mean over the cells", result.mean, atMost: 1.05),
            Goal("regret in the worst cell", result.worst, atMost: 1.15),
            Goal("regret of a later download, mean", result.laterMean, atMost: 1.02),
            Goal("regret of a later download, worst", result.laterWorst, atMost: 1.10),
        ]
    }
}

extension Workshop {
    fileprivate func compete(in cell: RegretCell) throws -> RegretResult.Entry {
        let file = try randomFile(mebibytes: cell.mebibytes)
        let pair = try NetworkPair(cell.link, in: self)
        defer { pair.close() }
        var server = NginxSettings(
            addresses: [pair.serverAddress],
            plainPort: 80,
            network: pair.server
        )
        server.bytesPerSecondOfConnection =
            cell.connectionMegabytesPerSecond.map { Int($0 * 1_000_000) }
        server.mostConnections = cell.mostConnections
        let nginx = try Nginx(server, in: self)
        defer { nginx.stop() }
        let tools = Toolbox(settings)
        let job = Job(sources: [nginx.url(file)])
        let memory = root + "/memory"
        Files.remove(memory)
        let pawl = Entrant(tools.pawl, job)
        let rows = try run(
            Contest(
                entrants: ([
                    pawl, pawl?.remembering(in: memory, label: RegretResult.laterLabel),
                ]
                    + [1, 2, 4, 8, 16].map { Entrant(tools.pawl, job.with(connections: $0)) }
                    + [
                        Entrant(tools.curl, job),
                        Entrant(tools.aria2, job.with(connections: 8)),
                        Entrant(tools.axel, job.with(connections: 8)),
                    ]).compactMap(\.self),
                expected: [ExpectedFile(name: job.name, original: contents + "/" + file)],
                mostRounds: cell.lossPercent > 0 ? 5 : 2,
                hopelessRatio: 4,
                network: pair.client
            )
        )
        return RegretResult.Entry(cell: cell, rows: rows)
    }
}

extension Job {
    fileprivate func with(connections: Int) -> Job {
        var job = self
        job.connections = .fixed(connections)
        return job
    }
}

extension TerminalReport {
    /// Returns a cell and the ratio of each row to the best one.
    fileprivate static func line(_ entry: RegretResult.Entry) -> String {
        let ratios = entry.rows.map { row in
            "\(row.label) \(entry.ratio(of: row.label).map { FigureText.ratio($0) } ?? "-")"
        }
        let best = entry.rows.compactMap(\.measurement?.wallSeconds).min() ?? 0
        return "  \(entry.cell.title): \(FigureText.seconds(best)) (\(entry.best ?? "-")); "
            + ratios.joined(separator: ", ")
    }
}
