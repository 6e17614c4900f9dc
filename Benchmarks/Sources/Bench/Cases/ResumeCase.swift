internal import Glibc

extension BenchmarkCase {
    static let resume10G = BenchmarkCase(
        "resume-10g",
        "Resuming a 10 GiB file with 9 GiB already downloaded",
        about: """
            Pawl fetches the 9 GiB itself and is then interrupted. curl and wget2 check only the \
            length, so they get a sparse file. The time is from the start of the program until the \
            first request for new bytes arrives at a server that is part of the benchmark. aria2 \
            and axel are left out because they need control files that only they can create.
            """
    ) { workshop, report in
        let origin = try workshop.origin(
            try workshop.sparseFile(mebibytes: 10_240),
            OriginPlan()
        )
        let tools = Toolbox(workshop.settings)
        var job = Job(sources: [origin.url], connections: .fixed(1))
        guard let ours = Entrant(tools.pawl, job) else { return }
        job = Job(sources: [origin.url], resumes: true)
        let peers = [Entrant(tools.curl, job), Entrant(tools.wget2, job)].compactMap(\.self)
        try workshop.fetchPart(of: ours, from: origin, untilBytes: 9 << 30)
        origin.mute()
        var rows = [try workshop.leastFirstRequest(of: ours, at: origin)]
        for peer in peers {
            try workshop.clearDownloads()
            let path = workshop.downloads + "/" + job.name
            try ContentFile.makeSparse(path, bytes: 9 << 30)
            rows.append(try workshop.leastFirstRequest(of: peer, at: origin))
        }
        report.rows = rows
        report.goals = [.wallMilliseconds(of: ours.label, in: rows, atMost: 100)]
    }
}

extension Workshop {
    /// Interrupts a run as soon as the server has sent the given number of bytes.
    fileprivate func fetchPart(
        of entrant: Entrant,
        from origin: Origin,
        untilBytes enough: Int
    ) throws {
        try clearDownloads()
        let run = try ProgramRun(entrant.invocation, in: self)
        let limit = Moment.now.advanced(bySeconds: 300)
        defer { run.child.end(SIGINT, patienceSeconds: 120) }
        while origin.record.servedBytes < enough {
            guard Moment.now < limit,
                try run.child.wait(until: .now.advanced(bySeconds: 0.05)) == nil
            else { throw BenchError("\(entrant.label) did not fetch \(enough) bytes in time") }
        }
    }

    /// Returns the minimum of all rounds, each of which begins with the same files.
    fileprivate func leastFirstRequest(of entrant: Entrant, at origin: Origin) throws -> Row {
        var least: Row?
        for _ in 1...settings.rounds {
            sync()
            var row = try firstRequest(of: entrant, at: origin)
            if row.failure == nil, row.notes.isEmpty {
                row.failure = "its first request was not for the missing bytes"
            }
            guard row.failure == nil else { return row }
            row.measurement = row.measurement?.least(least?.measurement)
            least = row
        }
        return least ?? Row(label: entrant.label, kind: entrant.kind)
    }
}
