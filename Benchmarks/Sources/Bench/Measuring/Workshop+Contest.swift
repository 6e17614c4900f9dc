internal import Glibc

extension Workshop {
    /// Runs all programs in turn for several rounds, and keeps the minimum of each figure.
    ///
    /// A program that fails once, or creates a wrong file, is disqualified.
    func run(_ contest: Contest) throws -> [Row] {
        var rows = contest.entrants.map { Row(label: $0.label, kind: $0.kind) }
        let rounds = min(settings.rounds, contest.mostRounds)
        for (index, entrant) in contest.entrants.enumerated() where entrant.remembers {
            Progress.show("before round 1: \(entrant.label)")
            try runOnce(entrant, contest, &rows[index])
            rows[index].measurement = nil
        }
        for round in 1...rounds {
            let shortest = rows.compactMap(\.measurement?.wallSeconds).min() ?? .infinity
            // What a program leaves behind may slow the next one down, such as free memory that the
            // host of a virtual machine has taken back. So each round has another order.
            for index in rows.indices.shuffled() where rows[index].failure == nil {
                let entrant = contest.entrants[index]
                if let own = rows[index].measurement?.wallSeconds,
                    own > shortest * contest.hopelessRatio
                {
                    continue
                }
                Progress.show("round \(round) of \(rounds): \(entrant.label)")
                try runOnce(entrant, contest, &rows[index])
            }
        }
        Progress.clear()
        return rows
    }

    private func runOnce(_ entrant: Entrant, _ contest: Contest, _ row: inout Row) throws {
        try contest.prepare()
        try clearDownloads(keepsFiles: contest.keepsFiles)
        let run = try ProgramRun(entrant.invocation, in: self, network: contest.network)
        guard let result = try run.finish(withinSeconds: contest.limitSeconds) else {
            row.failure = "not finished after \(Int(contest.limitSeconds)) s"
            return
        }
        if let fault = result.fault {
            row.failure = "\(fault): \(run.lastWords)"
        } else if !entrant.makesNoFile, let fault = fault(in: contest.expected) {
            row.failure = "wrong file: \(fault)"
        } else {
            row.measurement = result.measurement.least(row.measurement)
            if entrant.tellsFigures { row.notes.append(run.lastWords) }
            if let note = contest.observe(entrant, result.measurement) { row.notes.append(note) }
        }
    }

    private func fault(in expected: [ExpectedFile]) -> String? {
        for file in expected {
            let copy = downloads + "/" + file.name
            if let fault = FileComparison.fault(in: copy, original: file.original) { return fault }
        }
        return nil
    }
}
