extension BenchmarkCase {
    static let smallHTTP = BenchmarkCase(
        "small-http",
        "4,000 files of 10 KiB over HTTP",
        about: """
            The server is nginx on loopback; 16 files are fetched at a time. axel is left out \
            because it fetches one file per run.
            """
    ) { workshop, report in
        let nginx = try workshop.nginx()
        let names = try workshop.smallFiles(4000, kibibytes: 10)
        let job = Job(files: names.map { nginx.url($0) })
        let tools = Toolbox(workshop.settings)
        try workshop.compareSmallFiles(
            job,
            names,
            peers: [tools.curl, tools.wget2, tools.aria2],
            &report
        )
    }

    static let smallHTTPS = BenchmarkCase(
        "small-https",
        "4,000 files of 10 KiB over HTTPS",
        about: """
            As small-http, but with TLS 1.3 and HTTP/2, which curl, wget2 and Pawl support; aria2 \
            uses HTTP/1.1.
            """
    ) { workshop, report in
        let nginx = try workshop.nginx()
        let names = try workshop.smallFiles(4000, kibibytes: 10)
        let job = Job(
            files: try names.map { try nginx.secureURL($0, http2: true) },
            authority: nginx.settings.secure?.authority.certificate
        )
        let tools = Toolbox(workshop.settings)
        try workshop.compareSmallFiles(
            job,
            names,
            peers: [tools.curl, tools.wget2, tools.aria2],
            &report
        )
    }

    static let tree = BenchmarkCase(
        "tree",
        "A tree of 20,000 files of 4 KiB over HTTP",
        about: """
            The files are in 100 folders, whose lists nginx makes. pawl mirror, wget2 and lftp find \
            them in the lists; curl gets the URLs of all files, and so needs no list.
            """
    ) { workshop, report in
        let nginx = try workshop.nginx()
        let names = try workshop.tree(folders: 100, filesPerFolder: 200, kibibytes: 4)
        var job = Job(files: names.map { nginx.url("tree/" + $0) })
        job.tree = nginx.url("tree/")
        let tools = Toolbox(workshop.settings)
        try workshop.compareSmallFiles(
            job,
            names.map { "tree/" + $0 },
            peers: [tools.curl, tools.wget2, tools.lftp],
            &report
        )
    }
}

extension Workshop {
    func compareSmallFiles(
        _ job: Job,
        _ names: [String],
        peers: [any Tool],
        _ report: inout CaseReport
    ) throws {
        let tools: [any Tool] = [Toolbox(settings).pawl] + peers
        let entrants = tools.map { Entrant($0, job) }
        report.rows = try run(
            Contest(
                entrants: entrants.compactMap(\.self),
                expected: names.map {
                    ExpectedFile(
                        name: job.tree == nil ? Job.name(of: $0) : $0,
                        original: contents + "/" + $0
                    )
                },
                keepsFiles: true
            )
        )
        report.goals = [
            .againstBestPeer(.wall, in: report.rows), .againstBestPeer(.cpu, in: report.rows),
        ]
    }
}
