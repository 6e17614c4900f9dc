/// The cases for the checks: mostly ratios of CPU time, with a margin for a busy machine.
///
/// They detect a large increase of the cost. The other cases measure whether the targets are
/// reached.
extension BenchmarkCase {
    static let shortHTTP = BenchmarkCase("short-http", "One file over HTTP", about: "") {
        workshop,
        report in
        let name = try workshop.randomFile(mebibytes: 128)
        let job = Job(sources: [try workshop.nginx().url(name)])
        try workshop.compareShort(job, name, into: &report)
        report.goals = [
            .ratio("pawl", to: "curl", .cpu, in: report.rows, atMost: 5),
            .ratio("pawl (1)", to: "curl", .cpu, in: report.rows, atMost: 2.5),
        ]
    }

    static let shortHTTPS = BenchmarkCase("short-https", "One file over HTTPS", about: "") {
        workshop,
        report in
        let name = try workshop.randomFile(mebibytes: 128)
        let nginx = try workshop.nginx()
        let job = Job(
            sources: [try nginx.secureURL(name)],
            authority: nginx.settings.secure?.authority.certificate
        )
        try workshop.compareShort(job, name, into: &report)
        report.goals = [
            .ratio("pawl", to: "curl", .cpu, in: report.rows, atMost: 4),
            .ratio("pawl (1)", to: "curl", .cpu, in: report.rows, atMost: 2.5),
        ]
    }

    static let shortSmall = BenchmarkCase("short-small", "1,000 small files over HTTP", about: "") {
        workshop,
        report in
        let nginx = try workshop.nginx()
        let names = try workshop.smallFiles(1000, kibibytes: 10)
        let job = Job(files: names.map { nginx.url($0) })
        try workshop.compareSmallFiles(
            job,
            names,
            peers: [Toolbox(workshop.settings).curl],
            &report
        )
        report.goals = [.ratio("pawl", to: "curl", .cpu, in: report.rows, atMost: 14)]
    }

    static let shortThrottled = BenchmarkCase(
        "short-throttled",
        "A server that gives each connection 2 MB/s",
        about: ""
    ) { workshop, report in
        let name = try workshop.randomFile(mebibytes: 16)
        let bytesPerSecond = 2e6
        let origin = try workshop.origin(
            name,
            OriginPlan(connectionBytesPerSecond: { _ in bytesPerSecond })
        )
        let ideal = Double(origin.fileBytes) / (8 * bytesPerSecond)
        let job = Job(sources: [origin.url], connections: .fixed(8))
        let pawl = Toolbox(workshop.settings).pawl
        try workshop.compareShort([Entrant(pawl, job)], name, into: &report)
        report.goals = [.againstIdeal("pawl (8)", ideal, in: report.rows, atMost: 2.5)]
    }

    static let shortMemory = BenchmarkCase("short-memory", "1 and 16 connections", about: "") {
        workshop,
        report in
        let name = try workshop.randomFile(mebibytes: 128)
        let pawl = Toolbox(workshop.settings).pawl
        let source = try workshop.nginx().url(name)
        let jobs = [1, 16].map { Job(sources: [source], connections: .fixed($0)) }
        try workshop.compareShort(jobs.map { Entrant(pawl, $0) }, name, into: &report)
        report.goals = [
            .ratio("pawl (16)", to: "pawl (1)", .peak, in: report.rows, atMost: 1.5)
        ]
    }
}

extension Workshop {
    fileprivate func compareShort(
        _ job: Job,
        _ name: String,
        into report: inout CaseReport
    ) throws {
        let tools = Toolbox(settings)
        var one = job
        one.connections = .fixed(1)
        let entrants = [
            Entrant(tools.pawl, job), Entrant(tools.pawl, one), Entrant(tools.curl, job),
        ]
        try compareShort(entrants, name, into: &report)
    }

    fileprivate func compareShort(
        _ entrants: [Entrant?],
        _ name: String,
        into report: inout CaseReport
    ) throws {
        report.rows = try run(
            Contest(
                entrants: entrants.compactMap(\.self),
                expected: [ExpectedFile(name: Job().name, original: contents + "/" + name)]
            )
        )
    }
}
