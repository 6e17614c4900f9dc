extension BenchmarkCase {
    static let http1G = BenchmarkCase(
        "http-1g",
        "One file of 1 GiB over HTTP",
        about: """
            The server is nginx on loopback. The number in parentheses is the requested number of \
            connections.
            """
    ) { workshop, report in
        let name = try workshop.randomFile(mebibytes: 1024)
        let job = Job(sources: [try workshop.nginx().url(name)])
        try workshop.compareSingleFile(job, name, into: &report)
    }

    static let https1G = BenchmarkCase(
        "https-1g",
        "One file of 1 GiB over HTTPS",
        about: """
            The server is nginx on loopback with TLS 1.3 and HTTP/1.1. Its certificate is from an \
            authority created by the benchmark, which the programs are configured to trust; axel \
            runs with `--insecure`.
            """
    ) { workshop, report in
        let name = try workshop.randomFile(mebibytes: 1024)
        let nginx = try workshop.nginx()
        let job = Job(
            sources: [try nginx.secureURL(name)],
            authority: nginx.settings.secure?.authority.certificate
        )
        try workshop.compareSingleFile(job, name, into: &report)
    }
}

extension Workshop {
    /// Compares all tools with one connection or their defaults, and some of them with four
    /// connections, too.
    fileprivate func compareSingleFile(
        _ job: Job,
        _ name: String,
        into report: inout CaseReport
    ) throws {
        let tools = Toolbox(settings)
        var several = job
        several.connections = .fixed(4)
        var one = job
        one.connections = .fixed(1)
        let entrants = [
            Entrant(tools.pawl, job), Entrant(tools.pawl, one), Entrant(tools.curl, job),
            Entrant(tools.wget2, job), Entrant(tools.aria2, one), Entrant(tools.aria2, several),
            Entrant(tools.axel, one), Entrant(tools.axel, several),
        ]
        report.rows = try run(
            Contest(
                entrants: entrants.compactMap(\.self),
                expected: [ExpectedFile(name: job.name, original: contents + "/" + name)]
            )
        )
        report.goals = [
            .againstBestPeer(.wall, in: report.rows), .againstBestPeer(.cpu, in: report.rows),
        ]
    }
}
