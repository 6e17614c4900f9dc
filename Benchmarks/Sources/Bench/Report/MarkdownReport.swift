/// `docs/benchmarks.md`.
struct MarkdownReport {
    private let book: ReportBook

    init(_ book: ReportBook) { self.book = book }

    var text: String {
        ([head, picture, goals] + book.cases.map(section)).joined(separator: "\n\n") + "\n"
    }

    private var head: String {
        let machine = book.machine
        return """
            # Benchmarks

            This page is written by `scripts/bench`; do not edit it. The same figures are available
            as JSON in [benchmarks.json](benchmarks.json).

            ## How to run the benchmark

            ```sh
            scripts/bench                    # all cases with five rounds: about 25 minutes
            scripts/bench http-1g crawl      # only these cases; the others keep their figures
            scripts/bench regret             # many links and servers with two rounds: an hour
            scripts/bench --list             # print the names of the cases
            scripts/bench --short            # a few small cases with wide limits, for the checks
            ```

            The script installs the programs that it needs, builds `pawl` and starts the servers.
            The cases with delay or packet loss need root: they use two network namespaces,
            connected by a traffic shaper that is part of the benchmark. Other work on the machine
            distorts the figures.

            ## How to read the figures

            Each case compares whole programs, configured for maximum speed. In each round, they run
            one after another. Each figure is the minimum of all rounds: *wall* is the time from
            start to end, *CPU* is the CPU time in user and system mode, and *peak* is the peak of
            physical memory. `×` is the ratio to the best of the other programs, the best peer;
            below 1, the program is better than all of them. The number in parentheses is the
            requested number of connections; without one, `pawl` chooses the number itself.

            A result counts only if the file is correct: its size and content are compared after
            each run. All programs write to the same folder on a disk. Before each run, the folder
            is emptied and the disk is synced. Pawl syncs a file before renaming it to its final
            name, and its figures include that; the other programs do not sync.

            ## The machine

            | | |
            | --- | --- |
            | processor | \(machine.processor), \(machine.cores) cores |
            | memory | \(machine.memoryGibibytes) GiB |
            | system | \(machine.distribution), \(machine.kernel), \(machine.fileSystem) |
            | programs | \(book.tools.joined(separator: ", ")) |
            """
    }

    private let picture = "![Time, CPU and memory of pawl and its peers, by case](benchmarks.svg)"

    private var goals: String {
        var lines = ["## Targets", "", "| case | figure | measured | at most | result |"]
        lines.append("| --- | --- | ---: | ---: | --- |")
        for report in book.cases {
            for goal in report.goals {
                let value = goal.value.map { FigureText.goal($0, goal.unit) } ?? "-"
                let limit = FigureText.goal(goal.limit, goal.unit)
                let verdict = goal.isReached ? goal.verdict : "**\(goal.verdict)**"
                lines.append(
                    "| [\(report.name)](#\(report.name)) | \(goal.text) | \(value) | \(limit) | \(verdict) |"
                )
            }
            if let skipped = report.skipped {
                lines.append("| [\(report.name)](#\(report.name)) | skipped: \(skipped) | | | |")
            }
        }
        return lines.joined(separator: "\n")
    }

    private func section(_ report: CaseReport) -> String {
        var parts = ["## \(report.name)", "\(report.title). \(report.about)"]
        if let skipped = report.skipped {
            parts.append("Skipped on \(report.date): \(skipped)")
            return parts.joined(separator: "\n\n")
        }
        let rounds = report.rounds == 1 ? "1 round" : "\(report.rounds) rounds"
        parts.append("`scripts/bench \(report.name)`, \(report.date), \(rounds), \(report.pawl).")
        if !report.rows.isEmpty { parts.append(table(report)) }
        if let regret = report.regret { parts += [Self.heatMap(regret), Self.table(regret)] }
        if let ideal = report.idealSeconds {
            parts.append("Ideal: \(FigureText.seconds(ideal)).")
        }
        parts += report.notes
        if let better = betterPeers(report) { parts.append(better) }
        return parts.joined(separator: "\n\n")
    }

    private func table(_ report: CaseReport) -> String {
        let head = ["| " + ReportTable.heads.joined(separator: " | ") + " |"]
        let rule = ["| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |"]
        let rows = ReportTable(report).lines.map { cells in
            "| " + cells.joined(separator: " | ") + " |"
        }
        return (head + rule + rows).joined(separator: "\n")
    }

    private static func heatMap(_ result: RegretResult) -> String {
        """
        ![The time of each program over the shortest time, by link and server](regret.svg)

        Seed: \(result.seed).
        """
    }

    private static func table(_ result: RegretResult) -> String {
        let heads = ["link and server"] + result.labels
        let rule = "| --- |" + String(repeating: " ---: |", count: heads.count - 1)
        let rows = result.lines.map { "| " + $0.joined(separator: " | ") + " |" }
        return (["| " + heads.joined(separator: " | ") + " |", rule] + rows)
            .joined(separator: "\n")
    }

    /// Returns the peers that do better, by name.
    private func betterPeers(_ report: CaseReport) -> String? {
        guard let ours = report.rows.first(where: { $0.kind == .pawl }),
            let measurement = ours.measurement
        else { return nil }
        let words = [(Figure.wall, "less time"), (.cpu, "less CPU"), (.peak, "less memory")]
        let better = words.compactMap { figure, word -> String? in
            guard let best = report.rows.bestPeer(figure), let value = figure.value(of: measurement)
            else { return nil }
            let ratio = best.value / value
            return ratio < 0.995
                ? "\(best.label) needs \(word) (\(FigureText.ratio(ratio)) ×)" : nil
        }
        guard !better.isEmpty else { return nil }
        return "Better here than \(ours.label): " + better.joined(separator: ", ") + "."
    }
}
