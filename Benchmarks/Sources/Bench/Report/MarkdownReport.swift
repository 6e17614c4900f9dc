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

            `scripts/bench` wrote this page; do not edit it. The figures alone stand in
            [benchmarks.json](benchmarks.json).

            ## How to run them

            ```sh
            scripts/bench                    # all cases, five rounds: about 25 minutes
            scripts/bench http-1g crawl      # some; the others keep their figures
            scripts/bench --list             # what there is
            scripts/bench --short            # a few small ones with wide limits, for the checks
            ```

            It installs what it needs, builds `pawl` and starts the servers itself. The links with
            delay or loss need root: they are two network namespaces, joined by a shaper of the
            benchmark's own. Other work on the machine disturbs the figures.

            ## How to read them

            Whole programs are compared, each set up to be as fast as it can, all in turn in the same
            run. The least of all rounds counts, for each figure by itself: *wall* from start to end,
            *CPU* in user and system mode, *peak* of physical memory. `×` is the ratio to the best
            peer: below 1 is better than all of them. In brackets stands the number of connections
            asked for; `pawl` without one chooses by itself.

            A result counts only if the file is right: size and content are compared after each run.
            All write to the same folder on a real disk; it is emptied and the disk synced before
            each run. Pawl syncs a file before it gives it its name, the others do not: that is in
            its figures.

            ## The machine

            | | |
            | --- | --- |
            | processor | \(machine.processor), \(machine.cores) cores |
            | memory | \(machine.memoryGibibytes) GiB |
            | system | \(machine.distribution), \(machine.kernel), \(machine.fileSystem) |
            | programs | \(book.tools.joined(separator: ", ")) |
            """
    }

    private let picture = "![What pawl and its peers need, case by case](benchmarks.svg)"

    private var goals: String {
        var lines = ["## What is to be reached", "", "| case | figure | is | at most | |"]
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
