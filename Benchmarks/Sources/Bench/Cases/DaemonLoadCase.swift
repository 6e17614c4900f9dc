/// Measures whether many clients slow the daemon down.
extension BenchmarkCase {
    static let daemonLoad = BenchmarkCase(
        "daemon-load",
        "8 downloads with 1,000 clients and 100 event readers",
        about: """
            8 files of 64 MiB from nginx, which limits each connection to 8 MiB/s, so that all \
            of them together fill a link of 64 MiB/s. The time is from before the request that \
            adds the downloads until every event reader has received the end of all of them; \
            with one event reader, and with all clients and event readers, in turn. Each of the \
            1,000 clients sends one request per second over its own TCP connection, with the \
            main token (the readers have another one): in turn for the status, the statistics, \
            the health, one download and a page of ten downloads. The response times are those of the round with the lowest p99. A \
            response time is measured from the moment at which the request was due. One thread \
            on the same machine plays all clients. CPU and memory are the daemon's.
            """
    ) { workshop, report in
        let name = try workshop.randomFile(mebibytes: 64)
        let nginx = try workshop.nginx()
        let urls = (1...8).map { nginx.url("paced/" + name, host: $0) }
        let home = try DaemonHome("daemon-load", in: workshop)
        let port = try Port.free()
        let daemon = try workshop.daemon(home, listen: port)
        defer { daemon.stop() }
        try workshop.ask(home, ["-o", "/dev/null"] + settingEight)
        var quiet = LoadSettings(
            port: port,
            token: try home.token(),
            readerToken: try workshop.readingToken(home)
        )
        quiet.downloads = urls.count
        var busy = quiet
        (busy.clients, busy.readers) = (1000, 100)
        busy.paths = [
            "/v1/status", "/v1/statistics", "/healthz", "/v1/downloads/1",
            "/v1/downloads?limit=10",
        ]
        var rows = [
            Row(label: "1 reader", kind: .pawl), Row(label: "1,000 clients", kind: .pawl),
        ]
        var best: LoadResult?
        report.rounds = min(3, report.rounds)
        for round in 1...report.rounds {
            for (index, load) in [quiet, busy].enumerated() {
                Progress.show("round \(round) of \(report.rounds): \(rows[index].label)")
                let (measurement, result) = try workshop.fetch(urls, by: home, daemon, under: load)
                rows[index].failure = rows[index].failure ?? workshop.fault(urls.count, name)
                rows[index].measurement = measurement.least(rows[index].measurement)
                let isBetter = result.percentile(99) < best?.percentile(99) ?? .infinity
                if index == 1, isBetter { best = result }
            }
        }
        Progress.clear()
        rows[1].notes = best.map { [$0.note] } ?? []
        report.rows = rows
        report.idealSeconds = 8
        report.goals = [
            .ratio("1,000 clients", to: "1 reader", .wall, in: rows, atMost: 1 / 0.95),
            Goal(
                "99th percentile of the response times",
                best.map { $0.percentile(99) * 1000 },
                atMost: 50,
                .milliseconds
            ),
        ]
    }

    private static let settingEight = [
        "-X", "PATCH", "-H", "Content-Type: application/json", "--data",
        #"{"maximumConcurrentDownloads":8}"#, "http://localhost/v1/settings",
    ]
}

extension LoadResult {
    fileprivate var note: String {
        let percentiles = [50.0, 99, 100].map { FigureText.decimal(percentile($0) * 1000, 1) }
        return """
            \(latencies.count) responses: p50 \(percentiles[0]) ms, p99 \(percentiles[1]) ms, maximum \
            \(percentiles[2]) ms; \(progressEvents) progress events per reader; the clients used \
            \(FigureText.seconds(cpuSeconds)) of CPU
            """
    }
}

extension Workshop {
    /// Returns what is wrong with the copies; `nil` if nothing is.
    fileprivate func fault(_ count: Int, _ name: String) -> String? {
        for number in 0..<count {
            let copy = "\(downloads)/\(number)"
            if let fault = FileComparison.fault(in: copy, original: contents + "/" + name) {
                return fault
            }
        }
        return nil
    }
}
